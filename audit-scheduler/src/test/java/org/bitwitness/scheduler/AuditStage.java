package org.bitwitness.scheduler;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.keys.SigningKey;
import org.bitwitness.attestation.log.HttpLogClient;
import org.bitwitness.attestation.log.LocalTileLog;
import org.bitwitness.attestation.log.LogReader;
import org.bitwitness.attestation.log.LogServer;
import org.bitwitness.attestation.log.LogSource;
import org.bitwitness.attestation.log.LogSources;
import org.bitwitness.attestation.note.NoteKeyType;
import org.bitwitness.attestation.note.NoteSigner;
import org.bitwitness.attestation.statement.TrainingCommitmentStatement;
import org.bitwitness.attestation.trust.LogIdentity;
import org.bitwitness.attestation.trust.TrustPolicy;
import org.bitwitness.attestation.trust.WitnessIdentity;
import org.bitwitness.attestation.trust.WitnessPolicy;
import org.bitwitness.attestation.verify.LogSurvey;
import org.bitwitness.attestation.witness.Witness;
import org.bitwitness.attestation.witness.WitnessClient;
import org.bitwitness.attestation.witness.WitnessQuorum;
import org.bitwitness.attestation.witness.WitnessServer;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.protocol.record.Commitment;
import org.bitwitness.replayer.TestTrainer;

/** A log, two witnesses and a trainer's and auditors' keys, all served in this process on loopback. */
final class AuditStage implements AutoCloseable {
    private static final String ORIGIN = "test.example/log";

    private final Path folder;
    private final SecureRandom random = new SecureRandom();
    private final List<WitnessServer> watching = new ArrayList<>();
    private final LogServer server;
    final SigningKey trainer;
    final SigningKey liar;
    final SigningKey auditor;
    final SigningKey second;
    final TrustPolicy trust;

    AuditStage(Path folder) throws Exception {
        this.folder = folder;
        Path keys = folder.resolve("trust");
        NoteSigner logKey = NoteSigner.create(ORIGIN, NoteKeyType.ED25519, random);
        List<WitnessIdentity> witnesses = new ArrayList<>();
        for (String name : List.of("alpha", "beta")) {
            witnesses.add(witness(name, logKey, keys));
        }
        LogIdentity log = new LogIdentity(logKey.verifier(), Optional.empty());
        String text = TrustPolicy.textRequiringAll(log, witnesses);
        Files.writeString(keys.resolve(TrustPolicy.POLICY_FILE), text);
        WitnessPolicy policy = TrustPolicy.readPolicy(keys.resolve(TrustPolicy.POLICY_FILE));
        WitnessQuorum quorum = new WitnessQuorum(witnesses.stream()
                .map(w -> new WitnessClient(w, w.url().orElseThrow()))
                .toList());
        Path files = folder.resolve("log");
        LocalTileLog tiles = LocalTileLog.open(files, new LocalTileLog.Settings(logKey, policy, quorum));
        server = LogServer.start(tiles, LogSources.at(files.toString()), loopback());
        trainer = key(keys.resolve(TrustPolicy.TRAINERS), "trainer");
        liar = key(keys.resolve(TrustPolicy.TRAINERS), "liar");
        auditor = key(keys.resolve(TrustPolicy.AUDITORS), "auditor");
        second = key(keys.resolve(TrustPolicy.AUDITORS), "second");
        trust = TrustPolicy.load(keys);
    }

    private WitnessIdentity witness(String name, NoteSigner logKey, Path keys) throws Exception {
        NoteSigner signer = NoteSigner.create(name + ".example/witness", NoteKeyType.COSIGNATURE_V1, random);
        SigningKey vrf = key(keys.resolve(TrustPolicy.WITNESS_VRF), name);
        Witness witness = Witness.open(
                folder.resolve(name),
                new Witness.Settings(signer, Optional.of(vrf), List.of(logKey.verifier()), InstantSource.system()));
        WitnessServer served = WitnessServer.start(witness, loopback());
        watching.add(served);
        return new WitnessIdentity(name, signer.verifier(), Optional.of(served.url()));
    }

    private SigningKey key(Path publicFolder, String name) throws Exception {
        SigningKey key = SigningKey.generate(random);
        Files.createDirectories(publicFolder);
        Files.writeString(
                publicFolder.resolve(name + ".pem"), key.verifyingKey().pem());
        return key;
    }

    private static InetSocketAddress loopback() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    URI url() {
        return server.url();
    }

    LogSource source() throws Exception {
        return LogSources.at(url().toString());
    }

    HttpLogClient client() {
        return new HttpLogClient(url(), trust.witnesses());
    }

    /** What the log says now. */
    LogSurvey survey() throws Exception {
        return LogSurvey.read(LogReader.open(source(), trust.witnesses()), trust);
    }

    /** Signs and logs commitments with a trainer's key. */
    TestTrainer.Committer committer(SigningKey trainer) {
        return new TestTrainer.Committer() {
            @Override
            public byte[] trainerSpki() {
                return trainer.verifyingKey().spki();
            }

            @Override
            public byte[] bundle(Commitment commitment) throws Exception {
                return SignedEntry.append(
                                new TrainingCommitmentStatement(commitment).toStatement(),
                                trainer,
                                client(),
                                trust.witnesses())
                        .bundle()
                        .toBytes();
            }
        };
    }

    AuditWorker worker(SigningKey key, AuditListener listener) throws Exception {
        return new AuditWorker(
                new AuditWorker.Setting(
                        trust, source(), client(), key, folder.resolve("verdicts"), BackendId.VECTOR, 2),
                listener);
    }

    Path verdicts() {
        return folder.resolve("verdicts");
    }

    @Override
    public void close() throws AttestationException {
        server.close();
        for (WitnessServer witness : watching) {
            witness.close();
        }
    }
}
