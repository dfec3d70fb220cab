package org.bitwitness.kernels.cuda;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.List;
import jcuda.Pointer;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUevent;
import jcuda.driver.CUevent_flags;
import jcuda.driver.CUresult;
import jcuda.driver.CUstream;
import jcuda.driver.JCudaDriver;
import org.bitwitness.kernels.gpu.GpuException;

/**
 * The way between the heap and a card: two pinned buffers, of which one is filled or emptied while the card copies the other. The
 * context has to be current on the calling thread.
 */
final class Staging {
    private static final int BYTES = 16 << 20;

    private final CUstream stream;
    private final List<Half> halves;

    /** @throws GpuException if the host cannot pin so much */
    Staging(CUstream stream) {
        this.stream = stream;
        this.halves = List.of(new Half(), new Half());
    }

    /** A pinned buffer, and an event behind the last copy that uses it. */
    private final class Half {
        private final Pointer pointer = new Pointer();
        private final MemorySegment pinned;
        private final CUevent copied = new CUevent();
        private boolean used;

        Half() {
            check(JCudaDriver.cuMemAllocHost(pointer, BYTES), "pinning memory for transfers");
            ByteBuffer buffer = pointer.getByteBuffer(0, BYTES);
            this.pinned = MemorySegment.ofBuffer(buffer);
            check(JCudaDriver.cuEventCreate(copied, CUevent_flags.CU_EVENT_DISABLE_TIMING), "making an event");
        }

        /** To be called behind a copy that was queued. */
        int mark() {
            used = true;
            return JCudaDriver.cuEventRecord(copied, stream);
        }

        /** Waits until the card is done with the buffer. */
        int await() {
            int code = used ? JCudaDriver.cuEventSynchronize(copied) : CUresult.CUDA_SUCCESS;
            used = false;
            return code;
        }

        void close() {
            var _ = JCudaDriver.cuEventDestroy(copied);
            var _ = JCudaDriver.cuMemFreeHost(pointer);
        }
    }

    /** Queues copies of all of {@code from}, which may be changed afterwards. Gives the driver's code. */
    int in(MemorySegment from, CUdeviceptr to) {
        int turn = 0;
        for (long done = 0; done < from.byteSize(); done += BYTES) {
            Half half = halves.get(turn++ & 1);
            long bytes = Math.min(BYTES, from.byteSize() - done);
            int code = half.await();
            if (code == CUresult.CUDA_SUCCESS) {
                MemorySegment.copy(from, done, half.pinned, 0, bytes);
                code = JCudaDriver.cuMemcpyHtoDAsync(to.withByteOffset(done), half.pointer, bytes, stream);
            }
            if (code == CUresult.CUDA_SUCCESS) {
                code = half.mark();
            }
            if (code != CUresult.CUDA_SUCCESS) {
                return code;
            }
        }
        return CUresult.CUDA_SUCCESS;
    }

    /** Fills all of {@code to} with what is at {@code from} when everything queued is done. Gives the driver's code. */
    int out(CUdeviceptr from, MemorySegment to) {
        long queued = 0;
        int turn = 0;
        for (long done = 0; done < to.byteSize(); done += BYTES) {
            // One copy ahead: the card fills the other buffer while this one is emptied.
            for (; queued < to.byteSize() && queued <= done + BYTES; queued += BYTES) {
                int code = queue(from.withByteOffset(queued), Math.min(BYTES, to.byteSize() - queued), queued);
                if (code != CUresult.CUDA_SUCCESS) {
                    return code;
                }
            }
            Half half = halves.get(turn++ & 1);
            int code = half.await();
            if (code != CUresult.CUDA_SUCCESS) {
                return code;
            }
            MemorySegment.copy(half.pinned, 0, to, done, Math.min(BYTES, to.byteSize() - done));
        }
        return CUresult.CUDA_SUCCESS;
    }

    private int queue(CUdeviceptr from, long bytes, long at) {
        // What the buffer was used for before is done, or stands before this in the stream.
        Half half = halves.get((int) (at / BYTES) & 1);
        int code = JCudaDriver.cuMemcpyDtoHAsync(half.pointer, from, bytes, stream);
        return code == CUresult.CUDA_SUCCESS ? half.mark() : code;
    }

    /** Gives the memory back; what fails goes with the process. */
    void close() {
        halves.forEach(Half::close);
    }

    private static void check(int code, String doing) {
        if (code != CUresult.CUDA_SUCCESS) {
            throw new GpuException(CudaErrors.other(code, doing));
        }
    }
}
