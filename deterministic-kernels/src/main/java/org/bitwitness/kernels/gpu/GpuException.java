package org.bitwitness.kernels.gpu;

/** A device could not do what it was asked. Unchecked, since a {@code Backend} passes it on to whoever decides. */
public final class GpuException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final GpuFailure failure;

    public GpuException(GpuFailure failure) {
        super(failure.message());
        this.failure = failure;
    }

    public GpuException(GpuFailure failure, Throwable cause) {
        super(failure.message(), cause);
        this.failure = failure;
    }

    public GpuFailure failure() {
        return failure;
    }
}
