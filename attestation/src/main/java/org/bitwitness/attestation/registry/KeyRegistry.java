package org.bitwitness.attestation.registry;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import org.bitwitness.attestation.keys.VerifyingKey;
import org.bitwitness.attestation.statement.KeyEventStatement.Enrol;
import org.bitwitness.attestation.statement.KeyEventStatement.KeyEvent;
import org.bitwitness.attestation.statement.KeyEventStatement.Revoke;
import org.bitwitness.attestation.statement.KeyEventStatement.Rotate;
import org.bitwitness.attestation.trust.TrustPolicy;

/**
 * Whose signature counts at which entry of a log. It starts from a trust folder and takes the log's key events in their
 * order: an entry counts if its signer stood when it was logged, whatever happened to the key later.
 *
 * <p>The key itself may rotate or revoke itself; a registrar of the trust folder may enrol, rotate and revoke. What
 * anybody else logs about a key is ignored and listed.
 */
public final class KeyRegistry {
    /** Index "before every entry": the trust folder itself. */
    public static final long FROM_THE_START = -1;

    private static final long NEVER = Long.MAX_VALUE;

    private final TrustPolicy trust;
    private final Map<VerifyingKey, Standing> auditors = new HashMap<>();
    private final Map<VerifyingKey, Standing> trainers = new HashMap<>();
    private final Map<VerifyingKey, Standing> registrars = new HashMap<>();
    private final List<Ignored> ignored = new ArrayList<>();

    /**
     * A key event without effect.
     *
     * @param why one sentence
     */
    public record Ignored(long index, String why) {}

    /** Counts for entries after {@code since} and before {@code until}. */
    private record Standing(String name, long since, long until, String end) {
        boolean at(long index) {
            return since < index && index < until;
        }

        Standing ended(long index, String how) {
            return until <= index ? this : new Standing(name, since, index, how);
        }
    }

    /** The registry before the first entry. */
    public KeyRegistry(TrustPolicy trust) {
        this.trust = trust;
        trust.auditors().forEach(startIn(auditors));
        trust.trainers().forEach(startIn(trainers));
        trust.registrars().forEach(startIn(registrars));
    }

    private static BiConsumer<String, VerifyingKey> startIn(Map<VerifyingKey, Standing> role) {
        return (name, key) -> role.put(key, new Standing(name, FROM_THE_START, NEVER, ""));
    }

    /**
     * Takes the next event.
     *
     * @param index of its entry, higher than those before
     * @param signer whose signature on it holds
     */
    public void take(long index, VerifyingKey signer, KeyEvent event) {
        boolean byRegistrar = standsAt(registrars, signer, index);
        boolean bySelf = signer.equals(event.key()) && stands(event.key(), index);
        Optional<String> refusal = switch (event) {
            case Enrol enrol -> byRegistrar ? enrol(index, enrol) : Optional.of("its signer is no registrar");
            case Rotate rotate -> byRegistrar || bySelf ? rotate(index, rotate) : Optional.of(nobody(rotate.key()));
            case Revoke revoke -> byRegistrar || bySelf ? revoke(index, revoke) : Optional.of(nobody(revoke.key()));
        };
        refusal.ifPresent(why -> ignored.add(new Ignored(index, why)));
    }

    private static String nobody(VerifyingKey key) {
        return "its signer is neither key %s itself, still standing, nor a registrar".formatted(key.id());
    }

    private Optional<String> enrol(long index, Enrol enrol) {
        if (known(enrol.key())) {
            return Optional.of("key %s is known already".formatted(enrol.key().id()));
        }
        boolean nameTaken =
                auditors.values().stream().anyMatch(standing -> standing.name().equals(enrol.name()));
        if (nameTaken) {
            return Optional.of(
                    "the name \"%s\" is another auditor's; two keys of one auditor count once".formatted(enrol.name()));
        }
        auditors.put(enrol.key(), new Standing(enrol.name(), index, NEVER, ""));
        return Optional.empty();
    }

    private Optional<String> rotate(long index, Rotate rotate) {
        if (known(rotate.successor())) {
            return Optional.of(
                    "successor %s is known already".formatted(rotate.successor().id()));
        }
        if (!stands(rotate.key(), index)) {
            return Optional.of("key %s does not stand".formatted(rotate.key().id()));
        }
        for (Map<VerifyingKey, Standing> role : List.of(auditors, trainers, registrars)) {
            Standing old = role.get(rotate.key());
            if (old != null && old.at(index)) {
                role.put(rotate.key(), old.ended(index, "rotated at log entry " + index));
                role.put(rotate.successor(), new Standing(old.name(), index, NEVER, ""));
            }
        }
        return Optional.empty();
    }

    private Optional<String> revoke(long index, Revoke revoke) {
        if (!known(revoke.key())) {
            return Optional.of("nobody trusted key %s".formatted(revoke.key().id()));
        }
        String how = "revoked at log entry " + index + (revoke.reason().isEmpty() ? "" : " (" + revoke.reason() + ")");
        for (Map<VerifyingKey, Standing> role : List.of(auditors, trainers, registrars)) {
            role.computeIfPresent(revoke.key(), (key, standing) -> standing.ended(index, how));
        }
        return Optional.empty();
    }

    private boolean known(VerifyingKey key) {
        return auditors.containsKey(key) || trainers.containsKey(key) || registrars.containsKey(key);
    }

    private boolean stands(VerifyingKey key, long index) {
        return standsAt(auditors, key, index) || standsAt(trainers, key, index) || standsAt(registrars, key, index);
    }

    private static boolean standsAt(Map<VerifyingKey, Standing> role, VerifyingKey key, long index) {
        Standing standing = role.get(key);
        return standing != null && standing.at(index);
    }

    /** What it started from. */
    public TrustPolicy trust() {
        return trust;
    }

    /** Name of the auditor whose signature at this entry counts. */
    public Optional<String> auditorName(VerifyingKey key, long index) {
        return name(auditors, key, index);
    }

    /** Name of the trainer whose signature at this entry counts. */
    public Optional<String> trainerName(VerifyingKey key, long index) {
        return name(trainers, key, index);
    }

    private static Optional<String> name(Map<VerifyingKey, Standing> role, VerifyingKey key, long index) {
        return Optional.ofNullable(role.get(key))
                .filter(standing -> standing.at(index))
                .map(Standing::name);
    }

    /** Entry from which an auditor's key counts; {@link #FROM_THE_START} for one of the trust folder. */
    public Optional<Long> auditorSince(VerifyingKey key) {
        return Optional.ofNullable(auditors.get(key)).map(Standing::since);
    }

    /** {@code rotated at log entry 7}: why a key that was trusted does not count at this entry. */
    public Optional<String> endedBefore(VerifyingKey key, long index) {
        for (Map<VerifyingKey, Standing> role : List.of(auditors, trainers, registrars)) {
            Standing standing = role.get(key);
            if (standing != null && standing.until() <= index) {
                return Optional.of(standing.end());
            }
        }
        return Optional.empty();
    }

    /** True for every key that counts somewhere in this log, also before or after. */
    public boolean everTrusted(VerifyingKey key) {
        return known(key);
    }

    /** Keys of auditors and trainers, of the trust folder and of the log. */
    public Set<VerifyingKey> signers() {
        Set<VerifyingKey> keys = new java.util.LinkedHashSet<>(trust.auditors().values());
        keys.addAll(trust.trainers().values());
        keys.addAll(auditors.keySet());
        keys.addAll(trainers.keySet());
        return keys;
    }

    /** What each key of {@link #signers} is called; of one that counts no more, also up to where it did. */
    public Map<VerifyingKey, String> names() {
        Map<VerifyingKey, String> names = new HashMap<>();
        for (Map<VerifyingKey, Standing> role : List.of(trainers, auditors)) {
            role.forEach((key, standing) -> names.putIfAbsent(
                    key,
                    standing.until() == NEVER
                            ? standing.name()
                            : "%s (until log entry %d)".formatted(standing.name(), standing.until())));
        }
        return names;
    }

    /** Events without effect, in log order. */
    public List<Ignored> ignored() {
        return List.copyOf(ignored);
    }
}
