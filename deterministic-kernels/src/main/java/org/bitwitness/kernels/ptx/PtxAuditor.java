package org.bitwitness.kernels.ptx;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.bitwitness.kernels.gpu.GpuException;
import org.bitwitness.kernels.gpu.GpuFailure;
import org.bitwitness.kernels.gpu.PtxModule;

/**
 * Refuses PTX that may compute other bits on another card, driver or day: approximations, flushed subnormals, saturation,
 * arithmetic without a stated rounding (the driver may contract it), atomics and reductions (their order is chance), textures,
 * spilled registers, volatile and weakly ordered accesses, clocks, and every opcode, modifier, directive or target that the
 * list of what is allowed does not name. It reads the text that is loaded, so nobody has to trust the compiler's flags.
 */
public final class PtxAuditor {
    private static final int MOST_FINDINGS = 20;

    /** What a rule is there for, by a piece of an opcode, said before the plain "not on the list". */
    private static final Map<String, String> REASONS = Map.ofEntries(
            Map.entry("approx", "an approximation, which differs between cards"),
            Map.entry("full", "an approximate division, which differs between cards"),
            Map.entry("ftz", "subnormal numbers would be flushed to zero"),
            Map.entry("sat", "a clamped result is not in the profile"),
            Map.entry("atom", "the order of atomic operations is chance"),
            Map.entry("red", "the order of reductions in memory is chance"),
            Map.entry("tex", "texture units round in their own way"),
            Map.entry("tld4", "texture units round in their own way"),
            Map.entry("suld", "surfaces are not in the profile"),
            Map.entry("sust", "surfaces are not in the profile"),
            Map.entry("local", "spilled registers or an indexed local array: restructure the kernel"),
            Map.entry("volatile", "an access whose order is not defined by barriers"),
            Map.entry("rz", "the profile rounds to nearest even"),
            Map.entry("rm", "the profile rounds to nearest even"),
            Map.entry("rp", "the profile rounds to nearest even"),
            Map.entry("mma", "tensor cores add in an order of their own"),
            Map.entry("wmma", "tensor cores add in an order of their own"));

    private final List<PtxFinding> findings = new ArrayList<>();

    private PtxAuditor() {}

    /**
     * Parses and audits a module.
     *
     * @throws GpuException with {@link GpuFailure.PtxRefused}, naming the lines
     */
    public static PtxFile audited(PtxModule module) {
        PtxFile file = PtxParser.parse(module);
        List<PtxFinding> findings = findings(file);
        if (!findings.isEmpty()) {
            String text = findings.stream().map(PtxFinding::toString).collect(Collectors.joining("; "));
            throw new GpuException(new GpuFailure.PtxRefused(module.name(), text));
        }
        return file;
    }

    /** What is wrong with a module, in the order of its lines, cut after the first twenty; empty when nothing is. */
    public static List<PtxFinding> findings(PtxFile file) {
        PtxAuditor auditor = new PtxAuditor();
        auditor.header(file);
        file.variables().forEach(auditor::variable);
        for (PtxFunction function : file.functions()) {
            function.variables().forEach(auditor::variable);
            for (PtxStatement statement : function.body()) {
                if (statement instanceof PtxStatement.Instruction instruction) {
                    auditor.instruction(instruction);
                }
            }
        }
        return auditor.findings.stream().limit(MOST_FINDINGS).toList();
    }

    private void header(PtxFile file) {
        if (!file.version().matches("[6-9]\\.[0-9]")) {
            add(1, "PTX version " + file.version() + " is not known here: 6.0 to 9.9 are");
        }
        if (!Set.of("sm_70", "sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120")
                .contains(file.target())) {
            add(1, "target " + file.target() + " is not known here");
        }
    }

    private void variable(PtxVariable variable) {
        if (variable.space().equals("local")) {
            add(variable.line(), "a .local array (" + variable.name() + "): " + REASONS.get("local"));
        }
        if (variable.space().equals("global")) {
            add(
                    variable.line(),
                    "a .global variable (" + variable.name() + ") keeps state between launches: use .const");
        }
    }

    private void instruction(PtxStatement.Instruction i) {
        if (AllowedOpcodes.contains(i.opcode())) {
            return;
        }
        String reason = "not on the list of allowed opcodes";
        for (String piece : i.opcode().split("\\.", -1)) {
            reason = REASONS.getOrDefault(piece, reason);
        }
        if (AllowedOpcodes.lacksRounding(i.opcode())) {
            reason = "the rounding is not stated, so the driver may contract it into a multiply-add";
        }
        add(i.line(), i.opcode() + ": " + reason);
    }

    private void add(int line, String text) {
        findings.add(new PtxFinding(line, text));
    }
}
