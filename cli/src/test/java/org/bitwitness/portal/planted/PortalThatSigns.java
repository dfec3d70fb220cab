package org.bitwitness.portal.planted;

import org.bouncycastle.util.encoders.Hex;

/** Uses a library outside its package and prints, on purpose. */
public final class PortalThatSigns {
    private PortalThatSigns() {}

    public static void print(byte[] bytes) {
        System.out.println(Hex.toHexString(bytes));
    }
}
