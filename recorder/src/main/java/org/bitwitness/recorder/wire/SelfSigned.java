package org.bitwitness.recorder.wire;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;

/**
 * An X.509 certificate over a P-256 key, signed by that key: the JDK can read one and has no public way to make one. Nobody
 * reads its names or dates, only its fingerprint is compared, so they are the same in all.
 */
final class SelfSigned {
    private static final int SEQUENCE = 0x30;
    private static final int SET = 0x31;
    private static final int INTEGER = 0x02;
    private static final int BIT_STRING = 0x03;
    private static final int OBJECT_ID = 0x06;
    private static final int UTF8 = 0x0c;
    private static final int GENERALIZED_TIME = 0x18;
    private static final int EXPLICIT_0 = 0xa0;
    private static final byte[] ECDSA_SHA256 = {0x2a, (byte) 0x86, 0x48, (byte) 0xce, 0x3d, 0x04, 0x03, 0x02};
    private static final byte[] COMMON_NAME = {0x55, 0x04, 0x03};

    private SelfSigned() {}

    static X509Certificate of(KeyPair keys) throws GeneralSecurityException {
        byte[] algorithm = der(SEQUENCE, der(OBJECT_ID, ECDSA_SHA256));
        byte[] name = der(
                SEQUENCE, der(SET, der(SEQUENCE, der(OBJECT_ID, COMMON_NAME), der(UTF8, ascii("bitwitness-worker")))));
        byte[] body = der(
                SEQUENCE,
                der(EXPLICIT_0, der(INTEGER, BigInteger.TWO.toByteArray())),
                der(INTEGER, BigInteger.ONE.toByteArray()),
                algorithm,
                name,
                der(
                        SEQUENCE,
                        der(GENERALIZED_TIME, ascii("20200101000000Z")),
                        der(GENERALIZED_TIME, ascii("99991231235959Z"))),
                name,
                keys.getPublic().getEncoded());
        Signature signature = Signature.getInstance("SHA256withECDSA");
        signature.initSign(keys.getPrivate());
        signature.update(body);
        byte[] whole = der(SEQUENCE, body, algorithm, der(BIT_STRING, new byte[1], signature.sign()));
        return (X509Certificate)
                CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(whole));
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** One DER value: tag, length, the parts after one another. All of ours are shorter than 64 KiB. */
    private static byte[] der(int tag, byte[]... parts) {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            content.writeBytes(part);
        }
        int length = content.size();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(tag);
        if (length >= 0x100) {
            out.write(0x82);
            out.write(length >> 8);
        } else if (length >= 0x80) {
            out.write(0x81);
        }
        out.write(length);
        out.writeBytes(content.toByteArray());
        return out.toByteArray();
    }
}
