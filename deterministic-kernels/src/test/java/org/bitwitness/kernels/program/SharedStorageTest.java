package org.bitwitness.kernels.program;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.bitwitness.kernels.Tensor;
import org.bitwitness.kernels.op.Gelu;
import org.bitwitness.kernels.op.Operator;
import org.bitwitness.protocol.tensor.Shape;
import org.junit.jupiter.api.Test;

/** Which operators run again so that tensors with one array are right whenever one is read. */
class SharedStorageTest {
    private final Tensor in1 = tensor("in1", 4);
    private final Tensor in2 = tensor("in2", 4);
    private final Tensor cheap1 = tensor("cheap1", 4);
    private final Tensor cheap2 = tensor("cheap2", 4);
    private final Tensor out1 = tensor("out1", 4);
    private final Tensor out2 = tensor("out2", 4);

    @Test
    void anOverwrittenTensorIsMadeAgainBeforeItIsRead() {
        List<Operator> operators = List.of(
                op(in1, cheap1),
                op(cheap1, in2),
                op(in2, cheap2),
                op(cheap2, out2),
                op(cheap1, out1),
                op(cheap1, out2));
        assertEquals(Map.of(4, List.of(0)), again(operators));
    }

    @Test
    void whatItIsMadeOfIsMadeAgainFirst() {
        Tensor deeper1 = tensor("deeper1", 4);
        Tensor deeper2 = tensor("deeper2", 4);
        List<Operator> operators = List.of(
                op(in1, deeper1),
                op(deeper1, cheap1),
                op(in2, deeper2),
                op(deeper2, cheap2),
                op(cheap2, out2),
                op(cheap1, out1));
        SharedStorage both = new SharedStorage(operators, List.of(List.of(cheap1, cheap2), List.of(deeper1, deeper2)));
        assertEquals(Map.of(5, List.of(0, 1)), both.again(Map.of()));
    }

    @Test
    void operatorsThatRunAgainForOtherReasonsCount() {
        List<Operator> operators =
                List.of(op(in1, cheap1), op(in2, cheap2), op(cheap2, out2), op(cheap1, out1), op(cheap2, out2));
        assertEquals(Map.of(3, List.of(0), 4, List.of(1)), again(operators));
        assertEquals(
                Map.of(2, List.of(0, 1), 3, List.of(0), 4, List.of(1)),
                new SharedStorage(operators, List.of(List.of(cheap1, cheap2))).again(Map.of(2, List.of(0))));
    }

    @Test
    void refusesATensorWhoseInputHasChanged() {
        List<Operator> operators = List.of(op(in1, cheap1), op(in2, cheap2), op(cheap2, in1), op(cheap1, out1));
        IllegalStateException refused = assertThrows(IllegalStateException.class, () -> again(operators));
        assertTrue(refused.toString().contains("operator 2 changes what it is made of"), refused::toString);
    }

    @Test
    void refusesATensorThatTwoOperatorsWrite() {
        List<Operator> operators =
                List.of(op(in1, cheap1), op(in2, cheap1), op(in2, cheap2), op(cheap2, out2), op(cheap1, out1));
        IllegalStateException refused = assertThrows(IllegalStateException.class, () -> again(operators));
        assertTrue(refused.toString().contains("operators [0, 1] write it"), refused::toString);
    }

    @Test
    void refusesATensorThatIsReadBeforeItIsWritten() {
        assertThrows(IllegalStateException.class, () -> again(List.of(op(cheap1, out1), op(in1, cheap1))));
    }

    @Test
    void refusesTensorsThatCannotShareAnArray() {
        List<Operator> none = List.of();
        assertThrows(
                IllegalStateException.class, () -> new SharedStorage(none, List.of(List.of(in1, tensor("wide", 5)))));
        assertThrows(IllegalStateException.class, () -> new SharedStorage(none, List.of(List.of(in1), List.of(in1))));
    }

    private Map<Integer, List<Integer>> again(List<Operator> operators) {
        return new SharedStorage(operators, List.of(List.of(cheap1, cheap2))).again(Map.of());
    }

    private static Operator op(Tensor from, Tensor to) {
        return new Gelu(from + " to " + to, from, to);
    }

    private static Tensor tensor(String name, int size) {
        return Tensor.declare(name, Shape.of(size));
    }
}
