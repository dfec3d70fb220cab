package org.bitwitness.kernels.ptx.emulator;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.bitwitness.kernels.gpu.GpuException;
import org.bitwitness.kernels.ptx.PtxFile;
import org.bitwitness.kernels.ptx.PtxFunction;
import org.bitwitness.kernels.ptx.PtxOperand;
import org.bitwitness.kernels.ptx.PtxStatement;
import org.bitwitness.kernels.ptx.PtxStatement.Instruction;
import org.bitwitness.kernels.ptx.PtxType;
import org.bitwitness.kernels.ptx.PtxVariable;

/** Turns a kernel's text into operations. Device functions are put where they are called. */
final class Decoder {
    private static final int MOST_OPERATIONS = 400_000;
    private static final int MOST_CALL_DEPTH = 8;

    private final PtxFile file;
    private final Map<String, Long> moduleAddresses;
    private final Map<String, Long> functionShared = new HashMap<>();
    private final Columns columns = new Columns();
    private final List<Op> code = new ArrayList<>();
    private boolean narrowAccess;
    private long sharedBytes;

    private Decoder(PtxFile file, Map<String, Long> moduleAddresses) {
        this.file = file;
        this.moduleAddresses = moduleAddresses;
    }

    /**
     * Decodes a kernel.
     *
     * @param moduleAddresses where the module's constants and global variables are
     * @throws GpuException naming the line of an unknown opcode, modifier or operand
     */
    static Kernel kernel(PtxFile file, PtxFunction entry, Map<String, Long> moduleAddresses) {
        Decoder decoder = new Decoder(file, new HashMap<>(moduleAddresses));
        decoder.layOutShared(entry);
        List<Kernel.Param> params = decoder.params(entry);
        Names names = new Names(file.module(), entry, decoder.columns, decoder.moduleAddresses);
        for (Kernel.Param param : params) {
            names.address(param.variable().name(), param.offset());
        }
        decoder.body(entry, names, 0);
        decoder.code.add(new ControlOps.Exit(entry.line()));
        return new Kernel(
                entry.name(),
                decoder.code.toArray(Op[]::new),
                decoder.columns.templates(),
                decoder.columns.specials(),
                params,
                (int) decoder.sharedBytes,
                decoder.narrowAccess ? 1 : 4,
                mostThreads(entry));
    }

    private List<Kernel.Param> params(PtxFunction entry) {
        List<Kernel.Param> params = new ArrayList<>();
        long offset = 0;
        for (PtxVariable variable : entry.params()) {
            offset = aligned(offset, variable.align());
            params.add(new Kernel.Param(variable, (int) offset));
            offset += variable.bytes();
        }
        return params;
    }

    /** Shared arrays of the module, of the kernel and of what it may call; behind them what the launch brings. */
    private void layOutShared(PtxFunction entry) {
        for (PtxVariable variable : file.variables()) {
            if (variable.space().equals("shared") && variable.bytes() > 0) {
                moduleAddresses.put(variable.name(), shared(variable));
            }
        }
        for (PtxFunction function : file.functions()) {
            if (function.name().equals(entry.name()) || !function.entry()) {
                for (PtxVariable variable : function.variables()) {
                    if (variable.space().equals("shared")) {
                        functionShared.put(function.name() + "/" + variable.name(), shared(variable));
                    }
                }
            }
        }
        sharedBytes = aligned(sharedBytes, 16);
        for (PtxVariable variable : file.variables()) {
            if (variable.space().equals("shared") && variable.bytes() == 0) {
                moduleAddresses.put(variable.name(), sharedBytes);
            }
        }
    }

    private long shared(PtxVariable variable) {
        long at = aligned(sharedBytes, variable.align());
        sharedBytes = at + variable.bytes();
        return at;
    }

    private static long aligned(long offset, int align) {
        return (offset + align - 1) / align * align;
    }

    private static int mostThreads(PtxFunction entry) {
        int most = Integer.MAX_VALUE;
        for (String directive : entry.directives()) {
            String[] words = directive.split(" ", -1);
            if (words[0].equals(".maxntid") || words[0].equals(".reqntid")) {
                int threads = 1;
                for (int i = 1; i < words.length; i += 2) {
                    threads = Math.multiplyExact(threads, Integer.parseInt(words[i]));
                }
                most = Math.min(most, threads);
            }
        }
        return most;
    }

    /** Labels and branches of one copy of a function. */
    private record Flow(Map<String, Integer> labels, Map<ControlOps.Branch, String> branches) {}

    private void body(PtxFunction function, Names names, int depth) {
        for (PtxVariable variable : function.variables()) {
            switch (variable.space()) {
                case "shared" ->
                    names.address(
                            variable.name(),
                            Objects.requireNonNull(functionShared.get(function.name() + "/" + variable.name())));
                case "param" -> names.words(variable.name(), words(variable, names));
                default -> {
                    names.at(variable.line());
                    throw names.refusal("a ." + variable.space() + " variable in a function");
                }
            }
        }
        Flow flow = new Flow(new HashMap<>(), new HashMap<>());
        for (PtxStatement statement : function.body()) {
            names.at(statement.line());
            switch (statement) {
                case PtxStatement.Label(int line, String name) -> {
                    if (flow.labels.put(name, code.size()) != null) {
                        throw names.refusal("label " + name + " occurs twice");
                    }
                }
                case Instruction instruction -> instruction(instruction, names, flow, depth);
            }
            if (code.size() > MOST_OPERATIONS) {
                throw names.refusal("more than " + MOST_OPERATIONS + " operations in a kernel");
            }
        }
        flow.branches.forEach((branch, label) -> {
            names.at(branch.line);
            Integer target = label.isEmpty() ? Integer.valueOf(code.size()) : flow.labels.get(label);
            if (target == null) {
                throw names.refusal("no label " + label);
            }
            branch.target = target;
        });
    }

    private void instruction(Instruction i, Names names, Flow flow, int depth) {
        if (i.opcode().equals("call.uni") || i.opcode().equals("call")) {
            call(i, names, depth);
            return;
        }
        Op op;
        if (i.opcode().equals("bra") || i.opcode().equals("bra.uni")) {
            if (i.operands().size() != 1 || !(i.operands().get(0) instanceof PtxOperand.Symbol(String label))) {
                throw names.refusal("a branch has one label");
            }
            ControlOps.Branch branch = new ControlOps.Branch(i.line());
            flow.branches.put(branch, label);
            op = branch;
        } else if (i.opcode().equals("ret") && depth > 0) {
            ControlOps.Branch branch = new ControlOps.Branch(i.line());
            flow.branches.put(branch, "");
            op = branch;
        } else if (i.opcode().equals("ret")) {
            op = new ControlOps.Exit(i.line());
        } else {
            op = decoded(i, names);
        }
        if (i.guard().isPresent()) {
            PtxStatement.Guard guard = i.guard().get();
            PredicateRef p = names.p(new PtxOperand.Register(guard.register()));
            op.guard(p.index(), guard.negated());
        }
        code.add(op);
    }

    private Op decoded(Instruction i, Names names) {
        Opcode opcode = Opcode.of(i.opcode());
        Optional<Op> op = DecodeWarp.decode(i, names);
        if (op.isEmpty()) {
            op = DecodeCompare.decode(opcode, i, names);
        }
        if (op.isEmpty()) {
            op = DecodeMemory.decode(opcode, i, names);
            narrowAccess |= op.isPresent() && opcode.type().bytes() < 4;
        }
        if (op.isEmpty()) {
            op = DecodeMove.decode(opcode, i, names);
        }
        if (op.isEmpty()) {
            op = DecodeFloat.decode(opcode, i, names);
        }
        if (op.isEmpty()) {
            op = DecodeInteger.decode(opcode, i, names);
        }
        return op.orElseThrow(() -> names.refusal("the emulator does not know %s with %d operands"
                .formatted(i.opcode(), i.operands().size())));
    }

    /** {@code call (results), function, (arguments)} with any of the groups left out. */
    private void call(Instruction i, Names names, int depth) {
        List<PtxOperand> results = List.of();
        List<PtxOperand> arguments = List.of();
        String target = "";
        for (PtxOperand operand : i.operands()) {
            switch (operand) {
                case PtxOperand.Group(List<PtxOperand> parts) -> {
                    if (target.isEmpty()) {
                        results = parts;
                    } else {
                        arguments = parts;
                    }
                }
                case PtxOperand.Symbol(String name) -> target = name;
                case PtxOperand other -> throw names.refusal("unexpected operand of a call: " + other);
            }
        }
        String called = target;
        PtxFunction callee = file.functions().stream()
                .filter(f -> !f.entry() && f.name().equals(called))
                .findFirst()
                .orElseThrow(() -> names.refusal("no function " + called));
        if (depth >= MOST_CALL_DEPTH || i.guard().isPresent()) {
            throw names.refusal("calls nest deeper than %d, or one is guarded".formatted(MOST_CALL_DEPTH));
        }
        Names inner = new Names(file.module(), callee, columns, moduleAddresses);
        bind(callee.results(), results, names, inner);
        bind(callee.params(), arguments, names, inner);
        body(callee, inner, depth + 1);
    }

    /** The callee's parameters are the caller's variables: nobody writes an argument. */
    private void bind(List<PtxVariable> formal, List<PtxOperand> actual, Names outer, Names inner) {
        if (formal.size() != actual.size()) {
            throw outer.refusal(
                    "a call with %d operands where %d are declared".formatted(actual.size(), formal.size()));
        }
        for (int k = 0; k < formal.size(); k++) {
            if (!(actual.get(k) instanceof PtxOperand.Symbol(String name))) {
                throw outer.refusal("operands of calls are variables");
            }
            int[] given = outer.words(name).orElseThrow(() -> outer.refusal("undeclared name " + name));
            if (given.length * 4L < formal.get(k).bytes()) {
                throw outer.refusal(name + " is smaller than " + formal.get(k).name());
            }
            inner.words(formal.get(k).name(), given);
        }
    }

    private int[] words(PtxVariable variable, Names names) {
        if (variable.type() == PtxType.PRED || variable.bytes() > 256) {
            throw names.refusal("parameters of device functions have up to 256 bytes");
        }
        int[] words = new int[(int) (variable.bytes() + 3) / 4];
        for (int k = 0; k < words.length; k++) {
            words[k] = columns.newInt();
        }
        return words;
    }
}
