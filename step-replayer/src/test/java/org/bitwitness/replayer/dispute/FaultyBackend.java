package org.bitwitness.replayer.dispute;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import org.bitwitness.kernels.Backend;
import org.bitwitness.kernels.Tensor;
import org.bitwitness.kernels.op.Operator;
import org.bitwitness.replayer.Lie;

/** A backend that flips the last bit of one element of one operator's first output, every time. */
public final class FaultyBackend {
    private FaultyBackend() {}

    /** A trainer that computes with it. */
    public static Lie lie(String kind, String name) {
        return new Lie() {
            @Override
            public Backend backend(Backend honest) {
                return faulty(honest, kind, name);
            }
        };
    }

    /** @param kind of the operator as in its trace entry; {@code accumulate} for the adding up of micro-batches */
    static Backend faulty(Backend sound, String kind, String name) {
        return (Backend) Proxy.newProxyInstance(
                Backend.class.getClassLoader(), new Class<?>[] {Backend.class}, (proxy, method, arguments) -> {
                    try {
                        Object result = method.invoke(sound, arguments);
                        if (kind.equals("accumulate") && method.getName().equals("add")) {
                            flip((Tensor) ((List<?>) arguments[0]).get(2));
                        }
                        if (arguments != null
                                && arguments[0] instanceof Operator op
                                && op.kind().equals(kind)
                                && op.name().equals(name)) {
                            flip(op.outputs().getFirst());
                        }
                        return result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private static void flip(Tensor tensor) {
        float[] data = tensor.data();
        data[1] = Float.intBitsToFloat(Float.floatToRawIntBits(data[1]) ^ 1);
    }
}
