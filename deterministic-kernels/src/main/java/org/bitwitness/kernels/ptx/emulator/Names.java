package org.bitwitness.kernels.ptx.emulator;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.bitwitness.kernels.gpu.GpuException;
import org.bitwitness.kernels.gpu.GpuFailure;
import org.bitwitness.kernels.ptx.PtxFunction;
import org.bitwitness.kernels.ptx.PtxOperand;
import org.bitwitness.kernels.ptx.PtxRegister;
import org.bitwitness.kernels.ptx.PtxType;

/** What the names of one function stand for, and operands as columns. A wrong size or kind refuses the module. */
final class Names {
    /** A register's place: a column, or the index of a predicate. */
    private record Place(PtxType type, int at) {}

    private final String module;
    private final Columns columns;
    private final Map<String, Place> registers = new HashMap<>();
    /** Variables with an address: shared ones by offset, others by address. */
    private final Map<String, Long> addresses;
    /** Parameters of calls: a column per word. */
    private final Map<String, int[]> words = new HashMap<>();

    private int line;

    Names(String module, PtxFunction function, Columns columns, Map<String, Long> addresses) {
        this.module = module;
        this.columns = columns;
        this.addresses = new HashMap<>(addresses);
        for (PtxRegister register : function.registers()) {
            int at = switch (register.type().bytes()) {
                case 0 -> columns.newPredicate();
                case 8 -> columns.newLong();
                default -> columns.newInt();
            };
            registers.put(register.name(), new Place(register.type(), at));
        }
    }

    Columns columns() {
        return columns;
    }

    /** The line that refusals name from now on. */
    void at(int newLine) {
        line = newLine;
    }

    void address(String name, long address) {
        addresses.put(name, address);
    }

    Optional<Long> address(String name) {
        return Optional.ofNullable(addresses.get(name));
    }

    void words(String name, int[] wordColumns) {
        words.put(name, wordColumns);
    }

    Optional<int[]> words(String name) {
        return Optional.ofNullable(words.get(name));
    }

    GpuException refusal(String detail) {
        return new GpuException(new GpuFailure.PtxRefused(module, "line " + line + ": " + detail));
    }

    /** Size of a register in bytes, 0 for a predicate; -1 for another operand. */
    int registerBytes(PtxOperand operand) {
        if (operand instanceof PtxOperand.Register(String name)) {
            Place place = registers.get(name);
            return place != null
                    ? place.type.bytes()
                    : SpecialRegister.parse(name).isPresent() ? 4 : -1;
        }
        return -1;
    }

    /** The column of a source of 2 or 4 bytes. */
    int r(PtxOperand operand, int bytes) {
        return switch (operand) {
            case PtxOperand.Register(String name) -> {
                Optional<SpecialRegister> special =
                        registers.containsKey(name) ? Optional.empty() : SpecialRegister.parse(name);
                yield special.isPresent() ? columns.special(special.get()) : place(name, bytes);
            }
            case PtxOperand.Int(long value) -> columns.constant(bytes == 2 ? (int) value & 0xFFFF : (int) value);
            case PtxOperand.Float32(int bits) -> columns.constant(bits);
            case PtxOperand.Symbol(String name) -> columns.constant((int) symbol(name));
            case PtxOperand other -> throw refusal("unexpected operand " + other);
        };
    }

    /** The column of a source of 8 bytes. */
    int q(PtxOperand operand) {
        return switch (operand) {
            case PtxOperand.Register(String name) -> place(name, 8);
            case PtxOperand.Int(long value) -> columns.constant(value);
            case PtxOperand.Float64(long bits) -> columns.constant(bits);
            case PtxOperand.Symbol(String name) -> columns.constant(symbol(name));
            case PtxOperand other -> throw refusal("unexpected operand " + other);
        };
    }

    PredicateRef p(PtxOperand operand) {
        return switch (operand) {
            case PtxOperand.Register(String name) -> new PredicateRef(place(name, 0), false);
            case PtxOperand.NotRegister(String name) -> new PredicateRef(place(name, 0), true);
            case PtxOperand.Int(long value) -> columns.truth(value != 0);
            case PtxOperand other -> throw refusal("unexpected operand " + other);
        };
    }

    /** A destination; a sink gets a place nobody reads. */
    int d(PtxOperand operand, int bytes) {
        return switch (operand) {
            case PtxOperand.Register(String name) -> place(name, bytes);
            case PtxOperand.Sink() ->
                switch (bytes) {
                    case 0 -> columns.newPredicate();
                    case 8 -> columns.newLong();
                    default -> columns.newInt();
                };
            case PtxOperand other -> throw refusal("unexpected destination " + other);
        };
    }

    private int place(String name, int bytes) {
        Place place = registers.get(name);
        if (place == null) {
            throw refusal("undeclared register " + name);
        }
        if (place.type.bytes() != bytes) {
            throw refusal("%s has %d bytes, the instruction needs %d".formatted(name, place.type.bytes(), bytes));
        }
        return place.at;
    }

    private long symbol(String name) {
        return address(name).orElseThrow(() -> refusal("undeclared name " + name));
    }
}
