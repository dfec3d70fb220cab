package org.bitwitness.recorder.wire;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.Sha256;

/**
 * A key made for one run, with which one side of a connection between hosts proves who it is. The other side knows the
 * certificate's SHA-256 beforehand and accepts that certificate and no other: no authority, no names, no dates. TLS 1.3 only.
 */
public final class TlsIdentity {
    private static final String PROTOCOL = "TLSv1.3";
    private static final char[] IN_MEMORY = new char[0];

    private final SSLContext context;
    private final Sha256 fingerprint;

    private TlsIdentity(SSLContext context, Sha256 fingerprint) {
        this.context = context;
        this.fingerprint = fingerprint;
    }

    /** A new key, which never leaves this process. */
    public static TlsIdentity create() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            KeyPair keys = generator.generateKeyPair();
            X509Certificate certificate = SelfSigned.of(keys);
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, IN_MEMORY);
            store.setKeyEntry("run", keys.getPrivate(), IN_MEMORY, new X509Certificate[] {certificate});
            KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            managers.init(store, IN_MEMORY);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(managers.getKeyManagers(), new TrustManager[0], null);
            return new TlsIdentity(context, Hashing.sha256(certificate.getEncoded()));
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException("this JDK cannot make a P-256 key for TLS 1.3", e);
        }
    }

    /** SHA-256 of the certificate. */
    public Sha256 fingerprint() {
        return fingerprint;
    }

    /** The side that proves who it is. Nothing is said before the first byte is read or written. */
    public Connection accept(Socket raw, Duration timeout) throws IOException {
        SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket(raw, null, true);
        socket.setUseClientMode(false);
        socket.setEnabledProtocols(new String[] {PROTOCOL});
        return new Connection(socket, raw, timeout);
    }

    /**
     * Connects to the one that has this certificate.
     *
     * @param fingerprint of the only certificate that is accepted
     * @throws javax.net.ssl.SSLException if another one answers
     */
    public static Connection connect(InetSocketAddress to, Sha256 fingerprint, Duration timeout) throws IOException {
        Socket raw = new Socket();
        boolean connected = false;
        try {
            raw.connect(to, Math.toIntExact(timeout.toMillis()));
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(new KeyManager[0], new TrustManager[] {new Pinned(fingerprint)}, null);
            InetAddress peer = raw.getInetAddress();
            SSLSocket socket =
                    (SSLSocket) context.getSocketFactory().createSocket(raw, peer.getHostAddress(), to.getPort(), true);
            socket.setEnabledProtocols(new String[] {PROTOCOL});
            Connection connection = new Connection(socket, raw, timeout);
            socket.startHandshake();
            connected = true;
            return connection;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JDK has no TLS 1.3", e);
        } finally {
            if (!connected) {
                raw.close();
            }
        }
    }

    /** Trusts one certificate; the handshake itself proves that the other side holds its key. */
    private static final class Pinned extends X509ExtendedTrustManager {
        private final Sha256 fingerprint;

        Pinned(Sha256 fingerprint) {
            this.fingerprint = fingerprint;
        }

        private void require(X509Certificate[] chain) throws CertificateException {
            if (chain.length == 0 || !Hashing.sha256(chain[0].getEncoded()).equals(fingerprint)) {
                throw new CertificateException(
                        "the other side is not the one whose fingerprint is expected, %s".formatted(fingerprint));
            }
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
            require(chain);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
                throws CertificateException {
            require(chain);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
                throws CertificateException {
            require(chain);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
            require(chain);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
                throws CertificateException {
            require(chain);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
                throws CertificateException {
            require(chain);
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
