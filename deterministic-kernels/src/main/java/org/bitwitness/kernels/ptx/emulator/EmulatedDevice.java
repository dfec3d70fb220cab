package org.bitwitness.kernels.ptx.emulator;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.bitwitness.kernels.gpu.GpuBuffer;
import org.bitwitness.kernels.gpu.GpuDevice;
import org.bitwitness.kernels.gpu.GpuException;
import org.bitwitness.kernels.gpu.GpuFailure;
import org.bitwitness.kernels.gpu.KernelLaunch;
import org.bitwitness.kernels.gpu.PtxModule;
import org.bitwitness.kernels.ptx.PtxAuditor;
import org.bitwitness.kernels.ptx.PtxFile;
import org.bitwitness.kernels.ptx.PtxFunction;
import org.bitwitness.kernels.ptx.PtxVariable;
import org.bitwitness.protocol.Sha256;

/**
 * A {@link GpuDevice} on the CPU. Launches are done when {@link #launch} returns. A kernel that breaks a rule ends with
 * {@link GpuFailure.KernelFault} and its PTX line; the device takes nothing more after that, as a card would.
 */
public final class EmulatedDevice implements GpuDevice {
    private final EmulatorOptions options;
    private final DeviceMemory memory = new DeviceMemory();
    private final Set<Sha256> loaded = new HashSet<>();
    /** Decoded when they are first launched: a module may have many that a run never needs. */
    private final Map<String, Supplier<Kernel>> undecoded = new HashMap<>();

    private final Map<String, Kernel> kernels = new HashMap<>();
    private long inUse;
    private long launches;
    private long instructions;
    private long nanos;
    private boolean broken;
    private boolean closed;

    public EmulatedDevice(EmulatorOptions options) {
        this.options = options;
    }

    @Override
    public String describe() {
        return "PTX emulator (%s, %s, %d threads)"
                .formatted(options.checked() ? "checked" : "fast", options.order(), options.threads());
    }

    public EmulatorStatistics statistics() {
        return new EmulatorStatistics(launches, instructions, Duration.ofNanos(nanos));
    }

    @Override
    public long memoryLimit() {
        return options.memoryLimitBytes();
    }

    @Override
    public long memoryInUse() {
        return inUse;
    }

    @Override
    public GpuBuffer allocate(long bytes) {
        usable();
        if (bytes < 1) {
            throw new IllegalArgumentException("a buffer has at least 1 byte, got " + bytes);
        }
        if (bytes > options.memoryLimitBytes() - inUse || bytes > 4L * (Integer.MAX_VALUE - 8)) {
            throw new GpuException(new GpuFailure.OutOfMemory(bytes, inUse, options.memoryLimitBytes()));
        }
        Segment segment = new Segment("a buffer of " + bytes + " bytes", bytes, false, options.checked());
        segment.scramble();
        inUse += bytes;
        return new EmulatedBuffer(this, segment, memory.add(segment));
    }

    void free(EmulatedBuffer buffer) {
        inUse -= buffer.bytes();
        memory.remove(buffer.address);
    }

    @Override
    public void copyIn(MemorySegment from, GpuBuffer to, long toOffset) {
        segment(to, toOffset, from.byteSize()).copyIn(from, toOffset);
    }

    @Override
    public void copyOut(GpuBuffer from, long fromOffset, MemorySegment to) {
        segment(from, fromOffset, to.byteSize()).copyOut(fromOffset, to);
    }

    @Override
    public void copy(GpuBuffer from, long fromOffset, GpuBuffer to, long toOffset, long bytes) {
        Segment source = segment(from, fromOffset, bytes);
        segment(to, toOffset, bytes).copyFrom(source, fromOffset, toOffset, bytes);
    }

    @Override
    public void zero(GpuBuffer buffer, long offset, long bytes) {
        segment(buffer, offset, bytes).zero(offset, bytes);
    }

    @Override
    public void load(PtxModule module) {
        usable();
        if (loaded.contains(module.digest())) {
            return;
        }
        PtxFile file = PtxAuditor.audited(module);
        Map<String, Long> addresses = new HashMap<>();
        for (PtxVariable variable : file.variables()) {
            if (!variable.space().equals("shared")) {
                addresses.put(variable.name(), memory.add(table(variable)));
            }
        }
        List<PtxFunction> entries =
                file.functions().stream().filter(PtxFunction::entry).toList();
        for (PtxFunction entry : entries) {
            if (undecoded.containsKey(entry.name())) {
                throw new GpuException(new GpuFailure.PtxRefused(
                        module.name(), "kernel " + entry.name() + " is already loaded from another module"));
            }
        }
        entries.forEach(entry -> undecoded.put(entry.name(), () -> Decoder.kernel(file, entry, addresses)));
        loaded.add(module.digest());
    }

    private static Segment table(PtxVariable variable) {
        Segment segment = new Segment(variable.name(), variable.bytes(), false, false);
        segment.copyIn(MemorySegment.ofArray(variable.initial().copy()), 0);
        return segment;
    }

    @Override
    public void launch(KernelLaunch launch) {
        usable();
        Kernel kernel = kernel(launch);
        int shared = kernel.staticSharedBytes() + launch.sharedBytes();
        if (launch.block().threads() > kernel.mostThreads()) {
            throw refused(
                    launch,
                    "its blocks have at most %d threads, got %d"
                            .formatted(kernel.mostThreads(), launch.block().threads()));
        }
        if (shared > KernelLaunch.MOST_SHARED_BYTES) {
            throw refused(
                    launch, "%d bytes of shared memory, %d at most".formatted(shared, KernelLaunch.MOST_SHARED_BYTES));
        }
        BlockRun.Launch run = new BlockRun.Launch(
                kernel,
                memory,
                ++launches,
                launch.grid(),
                launch.block(),
                LaunchParams.of(this, kernel, launch),
                shared,
                options);
        long start = System.nanoTime();
        try {
            instructions += new GridRun(run).run();
        } catch (GpuException e) {
            broken = true;
            throw e;
        } finally {
            nanos += System.nanoTime() - start;
        }
    }

    private Kernel kernel(KernelLaunch launch) {
        Supplier<Kernel> decode = undecoded.get(launch.kernel());
        if (decode == null) {
            throw refused(launch, "no loaded module has it; loaded are " + new TreeSet<>(undecoded.keySet()));
        }
        return kernels.computeIfAbsent(launch.kernel(), name -> decode.get());
    }

    @Override
    public void synchronize() {
        usable();
    }

    @Override
    public void close() {
        closed = true;
    }

    static GpuException refused(KernelLaunch launch, String detail) {
        return new GpuException(new GpuFailure.LaunchFailed(launch.kernel(), detail));
    }

    private void usable() {
        if (closed) {
            throw new IllegalStateException("the device is closed");
        }
        if (broken) {
            throw new GpuException(new GpuFailure.DeviceLost("an earlier kernel failed on it"));
        }
    }

    private Segment segment(GpuBuffer buffer, long offset, long bytes) {
        usable();
        if (!(buffer instanceof EmulatedBuffer mine) || !mine.belongsTo(this)) {
            throw new IllegalArgumentException("the buffer is closed or belongs to another device");
        }
        if (offset < 0 || bytes < 0 || offset > buffer.bytes() - bytes) {
            throw new IllegalArgumentException(
                    "range [%d, +%d) is outside a buffer of %d bytes".formatted(offset, bytes, buffer.bytes()));
        }
        return mine.segment;
    }
}
