package org.bitwitness.portal.index;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.bundle.SigstoreBundle;
import org.bitwitness.attestation.bundle.TlogEntry;
import org.bitwitness.attestation.dsse.LogEntry;
import org.bitwitness.attestation.keys.VerifyingKey;
import org.bitwitness.attestation.log.LogReader;
import org.bitwitness.attestation.log.LogReceipt;
import org.bitwitness.attestation.log.LogSource;
import org.bitwitness.attestation.registry.KeyRegistry;
import org.bitwitness.attestation.trust.TrustPolicy;
import org.bitwitness.attestation.verify.LogSurvey;
import org.bitwitness.attestation.verify.RunEvidence;
import org.bitwitness.portal.PortalException;
import org.bitwitness.portal.view.LogPage;
import org.bitwitness.portal.view.PortalView;
import org.bitwitness.portal.view.RunPage;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.RunId;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.format.RecordingReader;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the portal shows, derived from a log. The whole log is read again whenever its checkpoint has changed; answers in
 * between come from memory. A log that cannot be read, or does not verify, gives no answer rather than an old one.
 */
public final class LogPortalView implements PortalView {
    private static final Logger LOG = LoggerFactory.getLogger(LogPortalView.class);
    private static final Pattern LOG_FILE = Pattern.compile(
            "checkpoint|tile/(?:entries|[0-9]{1,2})(?:/x?[0-9]{3})+(?:\\.p/[0-9]{1,3})?|payload/[0-9a-f]{64}");
    private static final int MAX_FILE_BYTES = 64 << 20;

    private final LogSource source;
    private final TrustPolicy trust;
    private final Map<RunId, RecordingReader> recordings;
    private volatile Optional<Snapshot> latest = Optional.empty();

    /** Everything derived from one checkpoint. */
    private record Snapshot(String checkpoint, LogSurvey survey, List<RunPage> runs) {}

    /**
     * @param source the log's files
     * @param recordings folders of recordings at hand, for loss curves; a run in the log needs none
     * @throws PortalException if a folder is no recording
     */
    public LogPortalView(LogSource source, TrustPolicy trust, List<Path> recordings) throws PortalException {
        this.source = source;
        this.trust = trust;
        this.recordings = new TreeMap<>((a, b) -> a.hex().compareTo(b.hex()));
        for (Path folder : recordings) {
            try {
                RecordingReader reader = RecordingReader.open(folder);
                this.recordings.put(reader.runId(), reader);
            } catch (ProtocolException e) {
                throw new PortalException("%s: %s".formatted(folder, e.getMessage()), e);
            }
        }
    }

    /** Names of the trust folder and of the log's key events; those of the trust folder alone while the log gives none. */
    @Override
    public Map<String, String> names() {
        Map<VerifyingKey, String> names;
        try {
            names = snapshot().survey().registry().names();
        } catch (PortalException nothingLogged) {
            names = new KeyRegistry(trust).names();
        }
        Map<String, String> byId = new TreeMap<>();
        names.forEach((key, name) -> byId.put(key.id().hex(), name));
        return byId;
    }

    @Override
    public List<RunPage> runs() throws PortalException {
        return snapshot().runs();
    }

    @Override
    public Optional<RunPage> run(Sha256 runId) throws PortalException {
        return snapshot().runs().stream()
                .filter(page -> page.runId().equals(runId.hex()))
                .findFirst();
    }

    @Override
    public Optional<RunPage> releasedBy(Sha256 file) throws PortalException {
        Snapshot now = snapshot();
        // Anybody can log a run that claims somebody's file, so an accepted trainer's comes first.
        return now.survey().runsAbout(file).stream()
                .sorted(Comparator.comparing(run -> !now.survey().isByAcceptedTrainer(run)))
                .flatMap(run -> now.runs().stream().filter(page -> page.runId().equals(run.hex())))
                .findFirst();
    }

    @Override
    public LogPage log() throws PortalException {
        Snapshot now = snapshot();
        return new LogPage(now.checkpoint(), EntrySummaries.of(now.survey()));
    }

    @Override
    public Optional<byte[]> bundle(long index) throws PortalException {
        LogSurvey survey = snapshot().survey();
        LogReader log = survey.log();
        if (index >= log.size()) {
            return Optional.empty();
        }
        try {
            LogEntry entry = log.entry(index);
            LogReceipt receipt = log.receipt(index);
            Optional<byte[]> payload = entry.payloadDigest().isEmpty()
                    ? Optional.empty()
                    : log.payload(entry.payloadDigest().get());
            if (payload.isEmpty()) {
                return Optional.empty();
            }
            TlogEntry proof = TlogEntry.of(
                    log.checkpoint().log().key(),
                    entry,
                    receipt.inclusion(),
                    log.checkpoint().checkpoint().root(),
                    receipt.checkpoint().toString());
            return Optional.of(SigstoreBundle.of(entry.key(), entry.envelope(payload.get()), Optional.of(proof))
                    .toBytes());
        } catch (AttestationException e) {
            throw new PortalException("entry %d of the log: %s".formatted(index, e.getMessage()), e);
        }
    }

    @Override
    public Optional<byte[]> logFile(String path) throws PortalException {
        if (!LOG_FILE.matcher(path).matches()) {
            return Optional.empty();
        }
        try {
            return source.read(path, MAX_FILE_BYTES);
        } catch (AttestationException e) {
            throw new PortalException(e.getMessage() == null ? e.toString() : e.getMessage(), e);
        }
    }

    private Snapshot snapshot() throws PortalException {
        try {
            String checkpoint = source.read("checkpoint", MAX_FILE_BYTES)
                    .map(bytes -> new String(bytes, StandardCharsets.UTF_8))
                    .orElseThrow(() -> new PortalException(
                            source.place() + " has no checkpoint: nothing has been logged there yet"));
            Optional<Snapshot> known = latest;
            if (known.isPresent() && known.get().checkpoint().equals(checkpoint)) {
                return known.get();
            }
            return read(checkpoint);
        } catch (AttestationException e) {
            throw new PortalException("the log does not verify: " + e.getMessage(), e);
        }
    }

    /** A run that contradicts itself must not take the others' pages away: anybody may append to a log. */
    private RunPage page(LogSurvey survey, RunId runId) {
        try {
            return RunPages.of(RunEvidence.of(survey, runId), Optional.ofNullable(recordings.get(runId)));
        } catch (AttestationException | ProtocolException e) {
            return RunPages.unjudged(runId, String.valueOf(e.getMessage()));
        }
    }

    private synchronized Snapshot read(String checkpoint) throws AttestationException {
        Optional<Snapshot> meanwhile = latest.filter(known -> known.checkpoint().equals(checkpoint));
        if (meanwhile.isPresent()) {
            return meanwhile.get();
        }
        LogSurvey survey = LogSurvey.read(LogReader.open(source, trust.witnesses()), trust);
        List<RunPage> pages = new ArrayList<>();
        for (RunId runId : survey.runs()) {
            pages.add(page(survey, runId));
        }
        Snapshot snapshot = new Snapshot(checkpoint, survey, RunPages.withOtherRuns(pages.reversed()));
        latest = Optional.of(snapshot);
        LOG.info("read {} log entries, {} runs", survey.log().size(), pages.size());
        return snapshot;
    }
}
