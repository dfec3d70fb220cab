package org.bitwitness.kernels.gpu.backend;

import static org.bitwitness.kernels.gpu.backend.Args.arg;

import java.util.List;
import java.util.Map;
import org.bitwitness.kernels.AdamWConstants;
import org.bitwitness.kernels.AdamWSlot;
import org.bitwitness.kernels.Backend;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.kernels.OperatorContext;
import org.bitwitness.kernels.ScalarFunction;
import org.bitwitness.kernels.SgdConstants;
import org.bitwitness.kernels.SgdSlot;
import org.bitwitness.kernels.Tensor;
import org.bitwitness.kernels.gpu.GpuBuffer;
import org.bitwitness.kernels.gpu.GpuDevice;
import org.bitwitness.kernels.gpu.KernelArg;
import org.bitwitness.kernels.gpu.PtxModule;
import org.bitwitness.kernels.op.Attention;
import org.bitwitness.kernels.op.AttentionGradient;
import org.bitwitness.kernels.op.CrossEntropy;
import org.bitwitness.kernels.op.DropoutAdd;
import org.bitwitness.kernels.op.DropoutGradient;
import org.bitwitness.kernels.op.Embedding;
import org.bitwitness.kernels.op.EmbeddingGradient;
import org.bitwitness.kernels.op.Gelu;
import org.bitwitness.kernels.op.GeluGradient;
import org.bitwitness.kernels.op.LayerNorm;
import org.bitwitness.kernels.op.LayerNormGradient;
import org.bitwitness.kernels.op.Linear;
import org.bitwitness.kernels.op.LinearInputGradient;
import org.bitwitness.kernels.op.LinearWeightGradient;
import org.bitwitness.kernels.op.RmsNorm;
import org.bitwitness.kernels.op.RmsNormGradient;
import org.bitwitness.kernels.op.Rope;
import org.bitwitness.kernels.op.SwiGlu;
import org.bitwitness.kernels.op.SwiGluGradient;
import org.bitwitness.protocol.Sha256;

/**
 * The operators as launches on a device, real or emulated. Tensors stay on the device from one operator to the next; what the
 * caller fetches is copied. Every method throws {@link org.bitwitness.kernels.gpu.GpuException} for what the device refuses:
 * never an answer of another backend.
 */
public final class GpuBackend implements Backend {
    private static final int ENOUGH_LARGE_TILES = 64;

    private final BackendId id;
    private final GpuDevice device;
    private final DeviceMemory memory;
    private final Launcher launcher;
    private final LinearLaunches linears;
    private final AttentionLaunches attention;
    private final NormLaunches norms;
    private final EmbeddingLaunches embeddings;
    private final WholeTensors whole;
    private final RobustLaunches robust;
    private final TensorHashes hashes;

    /** Over a device, which it closes. A module of kernels is loaded when one of them is first launched. */
    public GpuBackend(BackendId id, GpuDevice device) {
        this(id, device, PtxLibrary.kernels(), ENOUGH_LARGE_TILES);
    }

    /**
     * For tests, which change kernels and take large tiles for small products.
     *
     * @param moduleOfKernel in place of the shipped modules
     * @param largeTilesFrom from how many large tiles on a matrix product takes them
     */
    public GpuBackend(BackendId id, GpuDevice device, Map<String, PtxModule> moduleOfKernel, int largeTilesFrom) {
        this.id = id;
        this.device = device;
        this.memory = new DeviceMemory(device);
        this.launcher = new Launcher(device, moduleOfKernel);
        Columns columns = new Columns(launcher);
        this.linears = new LinearLaunches(memory, launcher, columns, largeTilesFrom);
        this.attention = new AttentionLaunches(memory, launcher);
        this.norms = new NormLaunches(memory, launcher, columns);
        this.embeddings = new EmbeddingLaunches(memory, launcher);
        this.whole = new WholeTensors(memory, launcher);
        this.robust = new RobustLaunches(memory, launcher, whole);
        this.hashes = new TensorHashes(memory, launcher);
    }

    /** For reports: device, driver, target, and how much of its memory may be used. */
    public String describe() {
        return "%s, at most %d MiB".formatted(device.describe(), device.memoryLimit() >> 20);
    }

    /** Bytes of device memory that are taken now, those kept for the next operator among them. */
    public long memoryInUse() {
        return device.memoryInUse();
    }

    /** Waits until everything that was asked for is done. */
    public void finish() {
        device.synchronize();
    }

    /** The tensor's root (docs/formats.md), computed on the device. */
    public Sha256 tensorRoot(Tensor tensor) {
        return hashes.root(tensor);
    }

    /**
     * The sum of {@link org.bitwitness.kernels.FunctionSweep} over the inputs 0, stride, 2·stride, …, added up on the device.
     *
     * @param stride at least 1; 1 is every input
     */
    public long sweep(GpuSweep sweep, long stride) {
        return sweep.sum(memory, launcher, stride);
    }

    @Override
    public BackendId id() {
        return id;
    }

    /** Threads of control on the host. */
    @Override
    public int threads() {
        return 1;
    }

    @Override
    public void allocate(Tensor tensor) {
        memory.allocate(tensor);
    }

    @Override
    public void bind(Tensor tensor, float[] host) {
        memory.bind(tensor, host);
    }

    @Override
    public void release(List<Tensor> tensors) {
        tensors.forEach(memory::release);
    }

    @Override
    public float[] fetch(Tensor tensor) {
        return memory.fetch(tensor);
    }

    @Override
    public void embedding(Embedding op, OperatorContext context) {
        embeddings.forward(op, context);
    }

    @Override
    public void embeddingGradient(EmbeddingGradient op, OperatorContext context) {
        embeddings.backward(op, context);
    }

    @Override
    public void linear(Linear op) {
        linears.forward(op);
    }

    @Override
    public void linearInputGradient(LinearInputGradient op) {
        linears.inputGradient(op);
    }

    @Override
    public void linearWeightGradient(LinearWeightGradient op) {
        linears.weightGradient(op);
    }

    @Override
    public void layerNorm(LayerNorm op) {
        norms.layerNorm(op);
    }

    @Override
    public void layerNormGradient(LayerNormGradient op) {
        norms.layerNormGradient(op);
    }

    @Override
    public void rmsNorm(RmsNorm op) {
        norms.rmsNorm(op);
    }

    @Override
    public void rmsNormGradient(RmsNormGradient op) {
        norms.rmsNormGradient(op);
    }

    @Override
    public void rope(Rope op) {
        int half = op.shape().headDim() / 2;
        int heads = op.x().columns() / op.shape().headDim();
        memory.run(o -> launcher.elements(
                "rope",
                op.x().size() / 2,
                arg(o.update(op.x())),
                arg(o.read(op.cos())),
                arg(o.read(op.sin())),
                arg(op.shape().tokens()),
                arg(op.shape().length()),
                arg(heads),
                arg(half),
                arg(op.inverse() ? 1 : 0)));
    }

    @Override
    public void attention(Attention op, OperatorContext context) {
        op.requireBatch(context.batch());
        attention.forward(op, context);
    }

    @Override
    public void attentionGradient(AttentionGradient op, OperatorContext context) {
        op.forward().requireBatch(context.batch());
        attention.backward(op, context);
    }

    @Override
    public void gelu(Gelu op) {
        int n = op.x().size();
        memory.run(o -> launcher.elements("gelu", n, arg(o.read(op.x())), arg(o.write(op.y())), arg(n)));
    }

    @Override
    public void geluGradient(GeluGradient op) {
        int n = op.x().size();
        memory.run(o -> launcher.elements(
                "gelu_gradient", n, arg(o.read(op.x())), arg(o.read(op.dy())), arg(o.write(op.dx())), arg(n)));
    }

    @Override
    public void swiGlu(SwiGlu op) {
        int n = op.gate().size();
        memory.run(o -> launcher.elements(
                "swiglu", n, arg(o.read(op.gate())), arg(o.read(op.up())), arg(o.write(op.y())), arg(n)));
    }

    @Override
    public void swiGluGradient(SwiGluGradient op) {
        int n = op.gate().size();
        memory.run(o -> launcher.elements(
                "swiglu_gradient",
                n,
                arg(o.read(op.gate())),
                arg(o.read(op.up())),
                arg(o.read(op.dy())),
                arg(o.write(op.dGate())),
                arg(o.write(op.dUp())),
                arg(n)));
    }

    @Override
    public void dropoutAdd(DropoutAdd op, OperatorContext context) {
        int n = op.x().size();
        memory.run(o -> launcher.elements(
                "dropout_add",
                Math.ceilDiv(n, 4),
                Launcher.join(
                        new KernelArg[] {arg(o.read(op.x())), arg(o.read(op.branch())), arg(o.write(op.out())), arg(n)},
                        Launcher.dropout(op.dropout(), context))));
    }

    @Override
    public void dropoutGradient(DropoutGradient op, OperatorContext context) {
        int n = op.dy().size();
        memory.run(o -> launcher.elements(
                "dropout_gradient",
                Math.ceilDiv(n, 4),
                Launcher.join(
                        new KernelArg[] {arg(o.read(op.dy())), arg(o.write(op.dx())), arg(n)},
                        Launcher.dropout(op.dropout(), context))));
    }

    @Override
    public void crossEntropy(CrossEntropy op, OperatorContext context) {
        op.requireBatch(context.batch());
        int[] targets = op.targets(context.batch());
        memory.run(o -> {
            GpuBuffer onDevice = o.scratch(4L * targets.length);
            device.copyIn(targets, 0, targets.length, onDevice, 0);
            launcher.blockPerRow(
                    "cross_entropy",
                    op.logits().rows(),
                    arg(o.read(op.logits())),
                    arg(onDevice),
                    arg(context.invCount()),
                    arg(o.write(op.losses())),
                    arg(o.write(op.dLogits())),
                    arg(op.logits().columns()));
        });
    }

    @Override
    public void apply(ScalarFunction function, Tensor x, Tensor y) {
        int n = x.size();
        memory.run(o -> launcher.elements(
                "apply_function", n, arg(GpuSweep.of(function).number()), arg(o.read(x)), arg(o.write(y)), arg(n)));
    }

    @Override
    public void add(List<Tensor> sum, List<Tensor> addend) {
        whole.add(sum, addend);
    }

    @Override
    public void scale(List<Tensor> tensors, float factor) {
        whole.scale(tensors, factor);
    }

    @Override
    public int[] combineExact(List<Tensor> byWorker, Tensor out) {
        return whole.combineExact(byWorker, out);
    }

    @Override
    public void trimmedMean(List<Tensor> byWorker, int trim, Tensor out) {
        robust.trimmedMean(byWorker, trim, out);
    }

    @Override
    public double squaredDistance(List<Tensor> a, List<Tensor> b) {
        return robust.squaredDistance(a, b);
    }

    @Override
    public void weightedSum(List<List<Tensor>> terms, float[] weights, List<Tensor> out) {
        robust.weightedSum(terms, weights, out);
    }

    @Override
    public void roundToBf16(List<Tensor> tensors) {
        whole.roundToBf16(tensors);
    }

    @Override
    public double sumOfSquares(List<Tensor> tensors) {
        return whole.sumOfSquares(tensors);
    }

    @Override
    public double sum(Tensor losses, double start) {
        return whole.sum(losses, start);
    }

    @Override
    public boolean allFinite(List<Tensor> tensors) {
        return whole.allFinite(tensors);
    }

    @Override
    public boolean adamW(List<AdamWSlot> slots, AdamWConstants constants) {
        return whole.adamW(slots, constants);
    }

    @Override
    public boolean sgd(List<SgdSlot> slots, SgdConstants constants) {
        return whole.sgd(slots, constants);
    }

    @Override
    public void fillInitial(Tensor out, long seed, int tensorIndex, float std) {
        int n = out.size();
        memory.run(o -> launcher.elements(
                "initial_weights",
                n,
                arg(o.write(out)),
                arg(n),
                arg(tensorIndex),
                arg((int) seed),
                arg((int) (seed >>> 32)),
                arg(std)));
    }

    @Override
    public void close() {
        device.close();
    }
}
