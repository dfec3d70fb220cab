package org.bitwitness.kernels.ptx.emulator;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.bitwitness.kernels.gpu.Block;
import org.bitwitness.kernels.gpu.GpuBuffer;
import org.bitwitness.kernels.gpu.Grid;
import org.bitwitness.kernels.gpu.KernelArg;
import org.bitwitness.kernels.gpu.KernelLaunch;
import org.bitwitness.kernels.gpu.PtxModule;

/** Small kernels written in tests, and the committed samples. */
final class Ptx {
    private static final String HEADER = ".version 6.4\n.target sm_75\n.address_size 64\n";

    private Ptx() {}

    /** A kernel "k" of two pointers, in {@code %rd0} (read) and {@code %rd1} (written), and a count in {@code %r0}. */
    static String kernel(String body) {
        return HEADER + """
            .visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n)
            {
            .reg .pred %p<8>;
            .reg .b16 %rs<8>;
            .reg .b32 %r<16>;
            .reg .b64 %rd<16>;
            .reg .f32 %f<8>;
            .reg .f64 %fd<8>;
            .shared .align 16 .b8 tile[1024];
            ld.param.u64 %rd0, [in];
            ld.param.u64 %rd1, [out];
            ld.param.u32 %r0, [n];
            mov.u32 %r1, %tid.x;
            mul.wide.u32 %rd2, %r1, 4;
            add.s64 %rd3, %rd0, %rd2;
            add.s64 %rd4, %rd1, %rd2;
            mov.u32 %r2, tile;
            shl.b32 %r3, %r1, 2;
            add.s32 %r3, %r2, %r3;
            """ + body + "\nret;\n}\n";
    }

    static String samples() {
        try (InputStream in = Ptx.class.getResourceAsStream("/ptx/samples.ptx")) {
            if (in == null) {
                throw new IllegalStateException("the test resource ptx/samples.ptx is missing");
            }
            return new String(in.readAllBytes(), StandardCharsets.US_ASCII);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static PtxModule module(String text) {
        return PtxModule.unlisted("test.ptx", text);
    }

    /** Runs "k" over one grid and returns what it wrote. */
    static int[] run(EmulatorOptions options, String body, Shape shape, int[] in, int outCount) {
        try (EmulatedDevice device = new EmulatedDevice(options);
                GpuBuffer input = device.allocate(Math.max(4, 4L * in.length));
                GpuBuffer output = device.allocate(4L * outCount)) {
            device.load(module(kernel(body)));
            device.copyIn(in, 0, in.length, input, 0);
            device.zero(output, 0, 4L * outCount);
            device.launch(new KernelLaunch(
                    "k",
                    shape.grid,
                    shape.block,
                    List.of(KernelArg.of(input), KernelArg.of(output), KernelArg.of(in.length))));
            int[] out = new int[outCount];
            device.copyOut(output, 0, out, 0, outCount);
            return out;
        }
    }

    /** Runs it with every check, one block. */
    static int[] run(String body, int threads, int... in) {
        return run(EmulatorOptions.withChecks(), body, new Shape(Grid.of(1), Block.of(threads)), in, 1024);
    }

    record Shape(Grid grid, Block block) {}

    /** The text with one occurrence, counted from 1, replaced; fails if there is none. */
    static String mutated(String text, String from, String to, int occurrence) {
        int at = -1;
        for (int i = 0; i < occurrence; i++) {
            at = text.indexOf(from, at + 1);
            if (at < 0) {
                throw new IllegalArgumentException("no occurrence " + occurrence + " of " + from);
            }
        }
        return text.substring(0, at) + to + text.substring(at + from.length());
    }

    static int occurrences(String text, String part) {
        return (int) Arrays.stream(text.split("\n", -1))
                .filter(line -> line.contains(part))
                .count();
    }
}
