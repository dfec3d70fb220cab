package org.bitwitness.kernels.cuda;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import jcuda.NativePointerObject;
import jcuda.Pointer;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUfunction;
import jcuda.driver.CUjit_option;
import jcuda.driver.CUmodule;
import jcuda.driver.CUresult;
import jcuda.driver.CUstream;
import jcuda.driver.JCudaDriver;
import jcuda.driver.JITOptions;
import org.bitwitness.kernels.gpu.GpuBuffer;
import org.bitwitness.kernels.gpu.GpuDevice;
import org.bitwitness.kernels.gpu.GpuException;
import org.bitwitness.kernels.gpu.GpuFailure;
import org.bitwitness.kernels.gpu.KernelArg;
import org.bitwitness.kernels.gpu.KernelLaunch;
import org.bitwitness.kernels.gpu.PtxModule;
import org.bitwitness.kernels.ptx.PtxAuditor;
import org.bitwitness.kernels.ptx.PtxFile;
import org.bitwitness.kernels.ptx.PtxFunction;

/** A card of NVIDIA's: one stream, pinned buffers for transfers, the driver's own translation of the PTX. */
public final class JCudaDevice implements GpuDevice {
    private static final int LOG_BYTES = 16 << 10;

    private final CudaDriver.Card card;
    private final CUcontext context;
    private final CUstream stream = new CUstream();
    private final Staging staging;
    private final long limit;
    private final Set<String> loaded = new HashSet<>();
    private final List<CUmodule> modules = new ArrayList<>();
    private final Map<String, CUfunction> kernels = new HashMap<>();
    private long inUse;
    private String lastKernel = "none";
    private boolean closed;

    private JCudaDevice(CudaDriver.Card card, CUcontext context, CudaOptions options) {
        this.card = card;
        this.context = context;
        check(JCudaDriver.cuCtxSetCurrent(context), "opening it");
        check(JCudaDriver.cuStreamCreate(stream, 0), "making a stream");
        this.staging = new Staging(stream);
        long[] free = new long[1];
        long[] total = new long[1];
        check(JCudaDriver.cuMemGetInfo(free, total), "asking for free memory");
        this.limit = options.memoryLimitBytes().orElse(free[0] / 10 * 9);
    }

    /**
     * Opens a card.
     *
     * @throws GpuException with {@link GpuFailure.Absent} where there is no driver, no such card or too old a one
     */
    public static JCudaDevice open(CudaOptions options) {
        CudaDriver.Card card = CudaDriver.card(options.device());
        CUcontext context = new CUcontext();
        try {
            check(JCudaDriver.cuDevicePrimaryCtxRetain(context, card.device()), "opening it");
            try {
                return new JCudaDevice(card, context, options);
            } catch (GpuException e) {
                var _ = JCudaDriver.cuDevicePrimaryCtxRelease(card.device());
                throw e;
            }
        } catch (GpuException e) {
            // Nothing was lost, since nothing was there yet.
            String why = e.failure() instanceof GpuFailure.DeviceLost(String detail)
                    ? detail
                    : e.failure().message();
            throw new GpuException(
                    new GpuFailure.Absent("device %d, %s, cannot be used: %s: see nvidia-smi for who uses it"
                            .formatted(card.ordinal(), card.name(), why)),
                    e);
        }
    }

    @Override
    public String describe() {
        return "%s, device %d, driver for CUDA %s, target sm_%d"
                .formatted(card.name(), card.ordinal(), CudaErrors.version(card.driverVersion()), card.capability());
    }

    @Override
    public long memoryLimit() {
        return limit;
    }

    @Override
    public long memoryInUse() {
        return inUse;
    }

    @Override
    public GpuBuffer allocate(long bytes) {
        current();
        if (bytes < 1) {
            throw new IllegalArgumentException("a buffer has at least 1 byte, got " + bytes);
        }
        CUdeviceptr address = new CUdeviceptr();
        int code = bytes > limit - inUse ? CUresult.CUDA_ERROR_OUT_OF_MEMORY : JCudaDriver.cuMemAlloc(address, bytes);
        if (code == CUresult.CUDA_ERROR_OUT_OF_MEMORY) {
            throw new GpuException(new GpuFailure.OutOfMemory(bytes, inUse, limit));
        }
        check(code, "allocating " + bytes + " bytes");
        inUse += bytes;
        return new JCudaBuffer(this, address, bytes);
    }

    void free(CUdeviceptr address, long bytes) {
        inUse -= bytes;
        if (!closed && JCudaDriver.cuCtxSetCurrent(context) == CUresult.CUDA_SUCCESS) {
            // A buffer that a queued launch still uses is freed behind it: cuMemFree waits. A failure comes out later.
            var _ = JCudaDriver.cuMemFree(address);
        }
    }

    @Override
    public void copyIn(MemorySegment from, GpuBuffer to, long toOffset) {
        JCudaBuffer target = mine(to, toOffset, from.byteSize());
        checkLaunch(staging.in(from, target.at(toOffset)));
    }

    @Override
    public void copyOut(GpuBuffer from, long fromOffset, MemorySegment to) {
        JCudaBuffer source = mine(from, fromOffset, to.byteSize());
        checkLaunch(staging.out(source.at(fromOffset), to));
    }

    @Override
    public void copy(GpuBuffer from, long fromOffset, GpuBuffer to, long toOffset, long bytes) {
        JCudaBuffer source = mine(from, fromOffset, bytes);
        JCudaBuffer target = mine(to, toOffset, bytes);
        if (bytes > 0) {
            checkLaunch(JCudaDriver.cuMemcpyDtoDAsync(target.at(toOffset), source.at(fromOffset), bytes, stream));
        }
    }

    @Override
    public void zero(GpuBuffer buffer, long offset, long bytes) {
        JCudaBuffer target = mine(buffer, offset, bytes);
        if (bytes > 0) {
            checkLaunch(JCudaDriver.cuMemsetD8Async(target.at(offset), (byte) 0, bytes, stream));
        }
    }

    @Override
    public void load(PtxModule module) {
        current();
        if (loaded.contains(module.digest().hex())) {
            return;
        }
        PtxFile file = PtxAuditor.audited(module);
        JITOptions log = new JITOptions();
        log.putInt(CUjit_option.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, LOG_BYTES);
        log.putBytes(CUjit_option.CU_JIT_ERROR_LOG_BUFFER, new byte[LOG_BYTES]);
        byte[] text = (module.text() + "\0").getBytes(StandardCharsets.US_ASCII);
        CUmodule handle = new CUmodule();
        int code = JCudaDriver.cuModuleLoadDataJIT(handle, Pointer.to(text), log);
        if (code != CUresult.CUDA_SUCCESS) {
            throw new GpuException(CudaErrors.ofModule(
                    code,
                    new CudaErrors.ModuleLoad(
                            module.name(),
                            file.version(),
                            card.driverVersion(),
                            log.getString(CUjit_option.CU_JIT_ERROR_LOG_BUFFER))));
        }
        modules.add(handle);
        for (PtxFunction function : file.functions()) {
            if (function.entry()) {
                CUfunction kernel = new CUfunction();
                check(JCudaDriver.cuModuleGetFunction(kernel, handle, function.name()), "finding " + function.name());
                if (kernels.put(function.name(), kernel) != null) {
                    throw new GpuException(new GpuFailure.PtxRefused(
                            module.name(), "kernel " + function.name() + " is already loaded from another module"));
                }
            }
        }
        loaded.add(module.digest().hex());
    }

    @Override
    public void launch(KernelLaunch launch) {
        current();
        CUfunction kernel = kernels.get(launch.kernel());
        if (kernel == null) {
            throw new GpuException(new GpuFailure.LaunchFailed(
                    launch.kernel(), "no loaded module has it; loaded are " + new TreeSet<>(kernels.keySet())));
        }
        lastKernel = launch.kernel();
        NativePointerObject[] args = launch.args().stream().map(this::pointer).toArray(NativePointerObject[]::new);
        checkLaunch(JCudaDriver.cuLaunchKernel(
                kernel,
                launch.grid().x(),
                launch.grid().y(),
                launch.grid().z(),
                launch.block().x(),
                launch.block().y(),
                launch.block().z(),
                launch.sharedBytes(),
                stream,
                Pointer.to(args),
                new Pointer()));
    }

    private Pointer pointer(KernelArg arg) {
        return switch (arg) {
            case KernelArg.Buffer(GpuBuffer buffer, long offset) ->
                Pointer.to(mine(buffer, offset, 0).at(offset));
            case KernelArg.NoBuffer() -> Pointer.to(new long[] {0});
            case KernelArg.I32(int value) -> Pointer.to(new int[] {value});
            case KernelArg.I64(long value) -> Pointer.to(new long[] {value});
            case KernelArg.F32(float value) -> Pointer.to(new float[] {value});
            case KernelArg.F64(double value) -> Pointer.to(new double[] {value});
        };
    }

    @Override
    public void synchronize() {
        current();
        checkLaunch(JCudaDriver.cuStreamSynchronize(stream));
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        // Results are left alone: after a lost device every one of these fails, and the process keeps nothing.
        var _ = JCudaDriver.cuCtxSetCurrent(context);
        modules.forEach(JCudaDriver::cuModuleUnload);
        staging.close();
        var _ = JCudaDriver.cuStreamDestroy(stream);
        var _ = JCudaDriver.cuDevicePrimaryCtxRelease(card.device());
    }

    private void current() {
        if (closed) {
            throw new IllegalStateException("the device is closed");
        }
        check(JCudaDriver.cuCtxSetCurrent(context), "selecting the card");
    }

    private JCudaBuffer mine(GpuBuffer buffer, long offset, long bytes) {
        current();
        if (!(buffer instanceof JCudaBuffer mine) || !mine.belongsTo(this)) {
            throw new IllegalArgumentException("the buffer is closed or belongs to another device");
        }
        if (offset < 0 || bytes < 0 || offset > buffer.bytes() - bytes) {
            throw new IllegalArgumentException(
                    "range [%d, +%d) is outside a buffer of %d bytes".formatted(offset, bytes, buffer.bytes()));
        }
        return mine;
    }

    private static void check(int code, String doing) {
        if (code != CUresult.CUDA_SUCCESS) {
            throw new GpuException(CudaErrors.other(code, doing));
        }
    }

    private void checkLaunch(int code) {
        if (code != CUresult.CUDA_SUCCESS) {
            throw new GpuException(CudaErrors.ofLaunch(code, lastKernel));
        }
    }
}
