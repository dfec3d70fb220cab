package org.bitwitness.kernels.gpu;

import java.lang.foreign.MemorySegment;

/**
 * One GPU, real or emulated, used by one thread.
 *
 * <p>Work is queued in one stream and done in the order of the calls. {@link #copyOut} and {@link #synchronize} wait for
 * it; a failure of a launch may therefore come out of a later call. After a failure other than
 * {@link GpuFailure.OutOfMemory} and {@link GpuFailure.PtxRefused} nothing that the device holds may be trusted: close it.
 *
 * <p>All multi-byte values in device memory are little-endian. Every method throws {@link GpuException} for what the
 * device refuses and {@link IllegalArgumentException} for ranges outside a buffer.
 */
public interface GpuDevice extends AutoCloseable {
    /** For reports: what it is, its driver, the target that PTX is translated to. */
    String describe();

    /** Bytes that the buffers of this device may take together. */
    long memoryLimit();

    /** Bytes that the buffers now allocated take. */
    long memoryInUse();

    /**
     * Allocates a buffer aligned to 256 bytes. Its content is undefined: copy or {@link #zero} before reading.
     *
     * @param bytes at least 1
     * @throws GpuException with {@link GpuFailure.OutOfMemory} when the limit or the device does not allow it; the device
     *     stays usable
     */
    GpuBuffer allocate(long bytes);

    /** Copies all of {@code from}, a heap or native segment, to {@code to} at a byte offset. */
    void copyIn(MemorySegment from, GpuBuffer to, long toOffset);

    /** Waits for all work queued, then fills all of {@code to} from {@code from} at a byte offset. */
    void copyOut(GpuBuffer from, long fromOffset, MemorySegment to);

    /** Copies within the device; the two ranges must not overlap. */
    void copy(GpuBuffer from, long fromOffset, GpuBuffer to, long toOffset, long bytes);

    /** Sets a range to zero bytes. */
    void zero(GpuBuffer buffer, long offset, long bytes);

    /**
     * Loads a module, after the PTX auditor has passed its text; its kernels can then be launched by name. Loading the
     * same module again does nothing.
     *
     * @throws GpuException with {@link GpuFailure.PtxRefused}
     */
    void load(PtxModule module);

    /** Queues a launch of a kernel of a loaded module. */
    void launch(KernelLaunch launch);

    /** Waits for all work queued; failures of earlier launches come out here at the latest. */
    void synchronize();

    /** Frees everything. Never fails: what cannot be freed goes with the process. */
    @Override
    void close();

    /** {@link #copyIn} of elements of a Java array; {@code toOffset} in bytes. */
    default void copyIn(float[] from, int first, int count, GpuBuffer to, long toOffset) {
        copyIn(MemorySegment.ofArray(from).asSlice(4L * first, 4L * count), to, toOffset);
    }

    /** {@link #copyIn} of elements of a Java array; {@code toOffset} in bytes. */
    default void copyIn(int[] from, int first, int count, GpuBuffer to, long toOffset) {
        copyIn(MemorySegment.ofArray(from).asSlice(4L * first, 4L * count), to, toOffset);
    }

    /** {@link #copyOut} into elements of a Java array; {@code fromOffset} in bytes. */
    default void copyOut(GpuBuffer from, long fromOffset, float[] to, int first, int count) {
        copyOut(from, fromOffset, MemorySegment.ofArray(to).asSlice(4L * first, 4L * count));
    }

    /** {@link #copyOut} into elements of a Java array; {@code fromOffset} in bytes. */
    default void copyOut(GpuBuffer from, long fromOffset, int[] to, int first, int count) {
        copyOut(from, fromOffset, MemorySegment.ofArray(to).asSlice(4L * first, 4L * count));
    }
}
