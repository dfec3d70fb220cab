package org.bitwitness.kernels.gpu;

import java.io.Serializable;

/** What went wrong with a device. None of these says anything about the work that was being checked. */
public sealed interface GpuFailure extends Serializable {
    /** One line: what was expected, what was found, what to do next. */
    String message();

    /** The device or the limit has no room. Micro-batches are part of what was recorded, so the work cannot be made smaller. */
    record OutOfMemory(long askedBytes, long inUseBytes, long limitBytes) implements GpuFailure {
        @Override
        public String message() {
            return ("a buffer of %d bytes does not fit: %d of %d bytes are in use;"
                            + " raise --gpu-memory, or use a larger card or --backend vector")
                    .formatted(askedBytes, inUseBytes, limitBytes);
        }
    }

    /** The driver reports that the device or our context on it is gone. */
    record DeviceLost(String detail) implements GpuFailure {
        @Override
        public String message() {
            return "the GPU was lost: " + detail + "; what it computed is not used";
        }
    }

    /** A launch was refused, or the kernel stopped with an error. */
    record LaunchFailed(String kernel, String detail) implements GpuFailure {
        @Override
        public String message() {
            return "kernel " + kernel + " failed: " + detail;
        }
    }

    /** The emulator saw a kernel do what no kernel may. */
    record KernelFault(String kernel, Kind kind, int ptxLine, String detail) implements GpuFailure {
        /** Rules that a kernel can break. */
        public enum Kind {
            OUT_OF_BOUNDS,
            MISALIGNED,
            UNINITIALISED_READ,
            RACE,
            BARRIER_DIVERGENCE,
            SHUFFLE_DIVERGENCE,
            TRAP,
            ENDLESS
        }

        @Override
        public String message() {
            return "kernel %s, PTX line %d: %s: %s".formatted(kernel, ptxLine, kind, detail);
        }
    }

    /** The text is not what the manifest names, breaks a rule of the auditor, or the driver does not take it. */
    record PtxRefused(String module, String detail) implements GpuFailure {
        @Override
        public String message() {
            return "PTX module " + module + " is refused: " + detail;
        }
    }

    /** There is no such device here. */
    record Absent(String lookedFor) implements GpuFailure {
        @Override
        public String message() {
            return "no usable GPU: " + lookedFor;
        }
    }
}
