package org.bitwitness.kernels.ptx;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Every opcode with its modifiers that a kernel of ours may contain. A choice stands in brackets: {@code add.[s32|u32]} is two
 * of them. The emulator runs all of these and nothing else.
 */
public final class AllowedOpcodes {
    private static final String INT = "[s16|u16|s32|u32|s64|u64]";
    private static final String INT_3264 = "[s32|u32|s64|u64]";
    private static final String BITS = "[b16|b32|b64]";
    private static final String FLOAT = "[f32|f64]";
    private static final String REGISTERS = "[b16|u16|s16|b32|u32|s32|f32|b64|u64|s64|f64]";
    private static final String MEMORY = "[b8|u8|s8|b16|u16|s16|b32|u32|s32|f32|b64|u64|s64|f64]";

    private static final List<String> TEMPLATES = List.of(
            // Integers.
            "[add|sub|mul.lo|min|max|div|rem].[s16|u16|s32|u32|s64|u64]",
            "[mul.hi|mad.lo|mad.hi].[s32|u32|s64|u64]",
            "[neg|abs].[s16|s32|s64]",
            "[mul.wide].[s16|u16|s32|u32]",
            "[mad.wide|sad|bfind.shiftamt].[s32|u32]",
            "[and|or|xor|not].[pred|b16|b32|b64]",
            "shl." + BITS,
            "shr.[b16|b32|b64|s16|u16|s32|u32|s64|u64]",
            "[brev|popc|clz].[b32|b64]",
            "[bfind|bfe]." + INT_3264,
            "bfi.[b32|b64]",
            "[lop3|prmt].b32",
            "shf.[l|r].[wrap|clamp].b32",
            // Floating point: rounded to nearest even, and saying so.
            "[add|sub|mul|div|fma|sqrt|rcp].rn." + FLOAT,
            "[min|max|neg|abs|copysign]." + FLOAT,
            "testp.[finite|infinite|number|notanumber|normal|subnormal]." + FLOAT,
            // Choices.
            "setp.[eq|ne].[|and.|or.|xor.]" + BITS,
            "setp.[eq|ne|lt|le|gt|ge].[|and.|or.|xor.]" + INT,
            "setp.[lo|ls|hi|hs].[|and.|or.|xor.][u16|u32|u64]",
            "setp.[eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan].[|and.|or.|xor.]" + FLOAT,
            "selp." + REGISTERS,
            // Moves and conversions.
            "mov." + REGISTERS,
            "mov.pred",
            "cvta.[to.|][global|shared|const].u64",
            "cvt.[s8|u8|s16|u16|s32|u32|s64|u64].[s8|u8|s16|u16|s32|u32|s64|u64]",
            "cvt.rn.[f32|f64].[s8|u8|s16|u16|s32|u32|s64|u64]",
            "cvt.[rni|rzi|rmi|rpi].[s16|u16|s32|u32|s64|u64].[f32|f64]",
            "cvt.[rni|rzi|rmi|rpi].f32.f32",
            "cvt.[rni|rzi|rmi|rpi].f64.f64",
            "cvt.f64.f32",
            "cvt.rn.f32.f64",
            // Memory.
            "ld.[|global.|global.nc.|shared.|const.|param.]" + MEMORY,
            "st.[|global.|shared.]" + MEMORY,
            "st.param.[b32|u32|s32|f32|b64|u64|s64|f64]",
            "ld.[|global.|global.nc.|shared.|const.|param.][v2.|v4.][b8|u8|s8|b16|u16|s16|b32|u32|s32|f32]",
            "ld.[|global.|global.nc.|shared.|const.|param.]v2.[b64|u64|s64|f64]",
            "st.[|global.|shared.][v2.|v4.][b8|u8|s8|b16|u16|s16|b32|u32|s32|f32]",
            "st.[|global.|shared.]v2.[b64|u64|s64|f64]",
            // Threads.
            "[bra|bra.uni|call|call.uni|ret|exit|trap]",
            "[bar.sync|barrier.sync|barrier.sync.aligned|bar.warp.sync]",
            "shfl.sync.[up|down|bfly|idx].b32",
            "vote.sync.[all|any|uni].pred",
            "vote.sync.ballot.b32",
            "activemask.b32");

    private static final Set<String> ALL = expandAll();
    private static final Set<String> ROUNDED = Set.of("add", "sub", "mul", "div", "fma", "mad", "sqrt", "rcp");

    private AllowedOpcodes() {}

    public static boolean contains(String opcode) {
        return ALL.contains(opcode);
    }

    /** All of them, sorted. */
    public static Set<String> all() {
        return ALL;
    }

    /** Whether it is float arithmetic without a rounding modifier. */
    static boolean lacksRounding(String opcode) {
        int dot = opcode.indexOf('.');
        String rest = dot < 0 ? "" : opcode.substring(dot);
        return dot > 0 && ROUNDED.contains(opcode.substring(0, dot)) && (rest.equals(".f32") || rest.equals(".f64"));
    }

    private static Set<String> expandAll() {
        Set<String> all = new TreeSet<>();
        for (String template : TEMPLATES) {
            all.addAll(expand(template));
        }
        return Collections.unmodifiableSet(all);
    }

    private static List<String> expand(String template) {
        int open = template.indexOf('[');
        if (open < 0) {
            return List.of(template);
        }
        int close = template.indexOf(']', open);
        List<String> expanded = new ArrayList<>();
        for (String choice : template.substring(open + 1, close).split("\\|", -1)) {
            expanded.addAll(expand(template.substring(0, open) + choice + template.substring(close + 1)));
        }
        return expanded;
    }
}
