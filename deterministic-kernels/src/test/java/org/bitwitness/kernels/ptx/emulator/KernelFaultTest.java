package org.bitwitness.kernels.ptx.emulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.bitwitness.kernels.gpu.Block;
import org.bitwitness.kernels.gpu.GpuBuffer;
import org.bitwitness.kernels.gpu.GpuException;
import org.bitwitness.kernels.gpu.GpuFailure;
import org.bitwitness.kernels.gpu.GpuFailure.KernelFault.Kind;
import org.bitwitness.kernels.gpu.Grid;
import org.bitwitness.kernels.gpu.KernelArg;
import org.bitwitness.kernels.gpu.KernelLaunch;
import org.junit.jupiter.api.Test;

/** Each rule that a kernel can break: the broken kernel stops at the right line, its twin runs. */
final class KernelFaultTest {
    private static final int FIRST_LINE = Ptx.kernel("HERE").split("HERE", 2)[0].split("\n", -1).length;

    private static void fails(Kind kind, int bodyLine, String body, int threads, int... in) {
        failsWith(EmulatorOptions.withChecks(), kind, bodyLine, body, threads, in);
    }

    private static void failsWith(
            EmulatorOptions options, Kind kind, int bodyLine, String body, int threads, int... in) {
        Ptx.Shape shape = new Ptx.Shape(Grid.of(1), Block.of(threads));
        GpuException e = assertThrows(GpuException.class, () -> Ptx.run(options, body, shape, in, 1024));
        GpuFailure.KernelFault fault = assertInstanceOf(
                GpuFailure.KernelFault.class, e.failure(), e.failure().message());
        assertEquals(kind, fault.kind(), e.failure().message());
        assertEquals(FIRST_LINE + bodyLine - 1, fault.ptxLine(), e.failure().message());
        assertTrue(
                e.failure().message().contains("kernel k, PTX line " + fault.ptxLine()),
                e.failure().message());
    }

    @Test
    void namesAReadBehindTheEndOfABuffer() {
        String twin = "ld.global.f32 %f1, [%rd3];\nst.global.f32 [%rd4], %f1;";
        assertEquals(7, Ptx.run(twin, 4, 7, 7, 7, 7)[3]);
        fails(Kind.OUT_OF_BOUNDS, 1, "ld.global.f32 %f1, [%rd3+4];\nst.global.f32 [%rd4], %f1;", 4, 7, 7, 7, 7);
        fails(Kind.OUT_OF_BOUNDS, 1, "ld.global.f32 %f1, [%rd3+-4];\nst.global.f32 [%rd4], %f1;", 4, 7, 7, 7, 7);
        failsWith(EmulatorOptions.fast(1), Kind.OUT_OF_BOUNDS, 1, "ld.global.f32 %f1, [%rd3+4];", 4, 7, 7, 7, 7);
    }

    @Test
    void namesAnAccessThroughTheNullPointerAndBehindSharedMemory() {
        fails(Kind.OUT_OF_BOUNDS, 2, "mov.u64 %rd5, 0;\nld.global.u32 %r4, [%rd5];", 1, 1);
        fails(Kind.OUT_OF_BOUNDS, 1, "st.shared.u32 [%r3+1024], %r1;", 1, 1);
        assertEquals(0, Ptx.run("st.shared.u32 [%r3+1020], %r1;", 1, 1)[0]);
    }

    @Test
    void namesAMisalignedVectorLoad() {
        String twin = "ld.global.v2.u32 {%r4, %r5}, [%rd0+8];\nst.global.u32 [%rd1], %r5;";
        assertEquals(4, Ptx.run(twin, 1, 1, 2, 3, 4)[0]);
        fails(Kind.MISALIGNED, 1, "ld.global.v2.u32 {%r4, %r5}, [%rd0+4];", 1, 1, 2, 3, 4);
    }

    @Test
    void namesAReadOfSharedMemoryThatNobodyWrote() {
        String twin = "st.shared.u32 [%r3], %r1;\nld.shared.u32 %r4, [%r3];\nst.global.u32 [%rd4], %r4;";
        assertEquals(2, Ptx.run(twin, 4, 0)[2]);
        fails(Kind.UNINITIALISED_READ, 1, "ld.shared.u32 %r4, [%r3];", 4, 0);
        Ptx.Shape shape = new Ptx.Shape(Grid.of(1), Block.of(4));
        Ptx.run(EmulatorOptions.fast(1), "ld.shared.u32 %r4, [%r3];", shape, new int[] {0}, 4);
    }

    @Test
    void namesAReadOfABufferThatNobodyWrote() {
        try (EmulatedDevice device = new EmulatedDevice(EmulatorOptions.withChecks());
                GpuBuffer in = device.allocate(64);
                GpuBuffer out = device.allocate(64)) {
            device.load(Ptx.module(Ptx.kernel("ld.global.u8 %r4, [%rd3+1];\nst.global.u32 [%rd4], %r4;")));
            KernelLaunch launch = new KernelLaunch(
                    "k", Grid.of(1), Block.of(1), List.of(KernelArg.of(in), KernelArg.of(out), KernelArg.of(1)));
            device.copyIn(new int[] {0x0A0B0C0D}, 0, 1, in, 0);
            device.launch(launch);
            int[] result = new int[1];
            device.copyOut(out, 0, result, 0, 1);
            assertEquals(0x0C, result[0]);
            KernelLaunch beyond = new KernelLaunch(
                    "k", Grid.of(1), Block.of(1), List.of(KernelArg.of(in, 4), KernelArg.of(out), KernelArg.of(1)));
            GpuException e = assertThrows(GpuException.class, () -> device.launch(beyond));
            assertTrue(
                    e.failure().message().contains("UNINITIALISED_READ"),
                    e.failure().message());
            GpuException after = assertThrows(GpuException.class, () -> device.launch(launch));
            assertInstanceOf(GpuFailure.DeviceLost.class, after.failure());
        }
    }

    @Test
    void namesTwoThreadsAtOneSharedAddressWithNoBarrierBetween() {
        String write = "st.shared.u32 [%r3], %r1;\n";
        String read = "xor.b32 %r4, %r3, 4;\nld.shared.u32 %r5, [%r4];\nst.global.u32 [%rd4], %r5;";
        assertEquals(2, Ptx.run(write + "bar.sync 0;\n" + read, 64, 0)[3]);
        assertEquals(2, Ptx.run(write + "bar.warp.sync -1;\n" + read, 64, 0)[3]);
        fails(Kind.RACE, 3, write + read, 64, 0);
        // Another warp's word: a warp's barrier does not order it.
        String far = "setp.ge.u32 %p1, %r1, 32;\n"
                + read.replace("%r3, 4", "%r3, 128").replace("ld.", "@%p1 ld.");
        assertEquals(3, Ptx.run(write + "bar.sync 0;\n" + far, 64, 0)[35]);
        fails(Kind.RACE, 5, write + "bar.warp.sync -1;\n" + far, 64, 0);
    }

    @Test
    void namesAWriteOverWhatAnotherThreadReads() {
        String readThenWrite = "st.shared.u32 [%r3], %r1;\nbar.sync 0;\nld.shared.u32 %r5, [%r2];\n%s"
                + "setp.eq.u32 %p1, %r1, 5;\n@%p1 st.shared.u32 [%r2], %r1;";
        Ptx.run(readThenWrite.replace("%s", "bar.sync 0;\n"), 64, 0);
        fails(Kind.RACE, 5, readThenWrite.replace("%s", ""), 64, 0);
    }

    @Test
    void namesTwoBlocksAtOneGlobalAddress() {
        String body = "mov.u32 %r4, %ctaid.x;\nmul.wide.u32 %rd5, %r4, %d;\nadd.s64 %rd6, %rd1, %rd5;\n"
                + "st.global.u32 [%rd6], %r4;";
        Ptx.Shape two = new Ptx.Shape(Grid.of(2), Block.of(1));
        EmulatorOptions checked = EmulatorOptions.withChecks();
        assertEquals(1, Ptx.run(checked, body.replace("%d", "4"), two, new int[1], 4)[1]);
        GpuException e =
                assertThrows(GpuException.class, () -> Ptx.run(checked, body.replace("%d", "0"), two, new int[1], 4));
        assertTrue(
                e.failure().message().contains("RACE") && e.failure().message().contains("block 0"),
                e.failure().message());
    }

    @Test
    void letsEveryBlockReadTheSameInput() {
        String body = "ld.global.u32 %r4, [%rd0];\nmov.u32 %r5, %ctaid.x;\nmul.wide.u32 %rd5, %r5, 4;\n"
                + "add.s64 %rd6, %rd1, %rd5;\nst.global.u32 [%rd6], %r4;";
        Ptx.Shape many = new Ptx.Shape(Grid.of(9), Block.of(1));
        assertEquals(77, Ptx.run(EmulatorOptions.withChecks(), body, many, new int[] {77}, 16)[8]);
    }

    @Test
    void namesBytesOfOneWordApart() {
        String apart = "cvt.u64.u32 %rd5, %r1;\nadd.s64 %rd6, %rd1, %rd5;\nst.global.u8 [%rd6], %r1;";
        assertEquals(0x03020100, Ptx.run(apart, 4, 0)[0]);
        fails(Kind.RACE, 3, apart.replace("st.global.u8", "st.global.u16").replace("%rd1, %rd5", "%rd1, 0"), 2, 0);
    }

    @Test
    void namesABarrierThatSomeThreadsMiss() {
        fails(Kind.BARRIER_DIVERGENCE, 2, "setp.lt.u32 %p1, %r1, 16;\n@%p1 bar.sync 0;", 32, 0);
        fails(Kind.BARRIER_DIVERGENCE, 3, "setp.lt.u32 %p1, %r1, 16;\n@%p1 exit;\nbar.sync 0;", 64, 0);
        String two = "setp.lt.u32 %p1, %r1, 32;\n@%p1 bra ONE;\nbar.sync 0;\nbra END;\nONE:\nbar.sync 0;\nEND:";
        fails(Kind.BARRIER_DIVERGENCE, 3, two, 64, 0);
        Ptx.run("setp.lt.u32 %p1, %r1, 16;\n@%p1 bra ON;\nadd.s32 %r4, %r1, 1;\nON:\nbar.sync 0;", 64, 0);
    }

    @Test
    void namesAShuffleThatSomeLanesMiss() {
        String shuffle = "shfl.sync.bfly.b32 %r4|%p2, %r1, 1, 31, -1;\nst.global.u32 [%rd4], %r4;";
        assertEquals(2, Ptx.run(shuffle, 32, 0)[3]);
        fails(Kind.SHUFFLE_DIVERGENCE, 3, "setp.lt.u32 %p1, %r1, 8;\n@%p1 exit;\n" + shuffle, 32, 0);
        // Lanes may come by different ways, as long as they come to the same place.
        assertEquals(
                2, Ptx.run("setp.lt.u32 %p1, %r1, 8;\n@%p1 bra ON;\nadd.s32 %r5, %r1, 1;\nON:\n" + shuffle, 32, 0)[3]);
        // A mask of half a warp, read outside of it.
        String half = "setp.lt.u32 %p1, %r1, 16;\n@!%p1 exit;\nshfl.sync.idx.b32 %r4, %r1, 20, 31, 65535;";
        fails(Kind.SHUFFLE_DIVERGENCE, 3, half, 32, 0);
    }

    @Test
    void namesALoopThatDoesNotEndAndATrap() {
        EmulatorOptions brief = EmulatorOptions.withChecks().withInstructionLimit(100_000);
        failsWith(brief, Kind.ENDLESS, 3, "AGAIN:\nadd.s32 %r4, %r4, 1;\nbra AGAIN;", 32, 0);
        fails(Kind.TRAP, 2, "setp.eq.u32 %p1, %r1, 3;\n@%p1 trap;", 32, 0);
    }

    @Test
    void refusesLaunchesThatDoNotFitTheKernel() {
        try (EmulatedDevice device = new EmulatedDevice(EmulatorOptions.withChecks());
                GpuBuffer buffer = device.allocate(16)) {
            device.load(Ptx.module(Ptx.kernel("")));
            List<KernelArg> good = List.of(KernelArg.of(buffer), KernelArg.of(buffer), KernelArg.of(1));
            device.launch(new KernelLaunch("k", Grid.of(1), Block.of(1), good));
            refuses(device, new KernelLaunch("other", Grid.of(1), Block.of(1), good), "[k]");
            refuses(device, new KernelLaunch("k", Grid.of(1), Block.of(1), good.subList(0, 2)), "3 parameters");
            refuses(device, new KernelLaunch("k", Grid.of(1), Block.of(1), 48 * 1024, good), "shared memory");
            List<KernelArg> wide = List.of(KernelArg.of(buffer), KernelArg.of(buffer), KernelArg.of(1L));
            refuses(device, new KernelLaunch("k", Grid.of(1), Block.of(1), wide), "4 bytes");
        }
    }

    private static void refuses(EmulatedDevice device, KernelLaunch launch, String part) {
        GpuException e = assertThrows(GpuException.class, () -> device.launch(launch));
        assertInstanceOf(GpuFailure.LaunchFailed.class, e.failure());
        assertTrue(e.failure().message().contains(part), e.failure().message());
    }

    @Test
    void keepsTheMemoryLimitAndNoticesFreedBuffers() {
        try (EmulatedDevice device =
                new EmulatedDevice(EmulatorOptions.withChecks().withMemoryLimit(1000))) {
            GpuBuffer first = device.allocate(600);
            GpuException e = assertThrows(GpuException.class, () -> device.allocate(401));
            assertEquals(new GpuFailure.OutOfMemory(401, 600, 1000), e.failure());
            first.close();
            device.allocate(1000).close();
            assertEquals(0, device.memoryInUse());
            assertThrows(IllegalArgumentException.class, () -> device.zero(first, 0, 1));
        }
    }
}
