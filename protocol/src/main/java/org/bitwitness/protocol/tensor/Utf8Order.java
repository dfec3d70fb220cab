package org.bitwitness.protocol.tensor;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;

/** Order of names by their UTF-8 bytes, unsigned. {@code String.compareTo} orders by UTF-16 units, which differs. */
public final class Utf8Order {
    public static final Comparator<String> COMPARATOR = Utf8Order::compare;

    private Utf8Order() {}

    private static int compare(String a, String b) {
        return Arrays.compareUnsigned(a.getBytes(StandardCharsets.UTF_8), b.getBytes(StandardCharsets.UTF_8));
    }
}
