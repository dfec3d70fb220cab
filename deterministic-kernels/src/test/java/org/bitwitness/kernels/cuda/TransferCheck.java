package org.bitwitness.kernels.cuda;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import org.bitwitness.kernels.gpu.GpuBuffer;

/** A program, for child JVMs: copies to a card and back, of sizes around those of the pinned buffers. The argument is a seed. */
final class TransferCheck {
    private static final int PINNED = 16 << 20;

    private TransferCheck() {}

    public static void main(String[] args) {
        SplittableRandom random = new SplittableRandom(Long.parseLong(args[0]));
        int wrong = 0;
        try (JCudaDevice device = JCudaDevice.open(new CudaOptions(0, OptionalLong.empty()))) {
            for (int bytes :
                    new int[] {1, 4096, PINNED - 1, PINNED, PINNED + 1, 2 * PINNED, 2 * PINNED + 5, 5 * PINNED - 3}) {
                int offset = random.nextInt(64);
                GpuBuffer first = device.allocate(bytes + 64L);
                GpuBuffer second = device.allocate(bytes + 64L);
                byte[] a = new byte[bytes];
                byte[] b = new byte[bytes];
                random.nextBytes(a);
                random.nextBytes(b);
                byte[] handedOver = a.clone();
                device.copyIn(MemorySegment.ofArray(handedOver), first, offset);
                Arrays.fill(handedOver, (byte) 0); // what was copied is the caller's again
                device.copyIn(MemorySegment.ofArray(b), second, 0);
                byte[] found = new byte[bytes];
                device.copyOut(first, offset, MemorySegment.ofArray(found));
                wrong += Arrays.equals(a, found) ? 0 : 1;
                device.copy(second, 0, first, offset, bytes);
                device.copyOut(first, offset, MemorySegment.ofArray(found));
                wrong += Arrays.equals(b, found) ? 0 : 1;
                first.close();
                second.close();
            }
        }
        System.out.println(wrong == 0 ? "ALL BYTES AGREE" : wrong + " DIFFERENCES");
    }
}
