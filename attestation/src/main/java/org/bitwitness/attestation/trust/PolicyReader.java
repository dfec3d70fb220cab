package org.bitwitness.attestation.trust;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.note.NoteKeyType;
import org.bitwitness.attestation.note.NoteText;
import org.bitwitness.attestation.note.NoteVerifier;
import org.bitwitness.protocol.Excerpt;

/** Reads one policy text, line by line. Used once. */
final class PolicyReader {
    static final int MAX_BYTES = 1 << 18;
    private static final int MAX_ITEMS = 256;

    private final List<LogIdentity> logs = new ArrayList<>();
    private final List<WitnessIdentity> witnesses = new ArrayList<>();
    private final Map<String, Quorum> defined = new HashMap<>();
    private final Set<String> usedAsMember = new HashSet<>();
    private final Set<String> keysSeen = new HashSet<>();
    private Optional<Quorum> quorum = Optional.empty();

    WitnessPolicy read(byte[] bytes) throws AttestationException {
        if (bytes.length > MAX_BYTES) {
            throw AttestationException.malformed(
                    "a policy has at most %d bytes, this one has %d".formatted(MAX_BYTES, bytes.length));
        }
        String text = NoteText.utf8(bytes, "a policy");
        if (text.chars().anyMatch(c -> (c < ' ' && c != '\n' && c != '\t') || c == 0x7f)) {
            throw AttestationException.malformed("a policy has no control characters other than tab and newline");
        }
        String[] lines = text.split("\n", -1);
        for (int i = 0; i < lines.length; i++) {
            try {
                line(lines[i]);
            } catch (AttestationException e) {
                throw e.in("policy line " + (i + 1));
            }
        }
        Quorum rule = quorum.orElseThrow(() -> AttestationException.malformed(
                "a policy needs one line \"quorum NAME\" (or \"quorum none\"), this one has none"));
        return new WitnessPolicy(logs, witnesses, rule);
    }

    private void line(String line) throws AttestationException {
        List<String> words =
                Arrays.stream(line.split("[ \t]+")).filter(w -> !w.isEmpty()).toList();
        if (words.isEmpty() || words.getFirst().startsWith("#")) {
            return;
        }
        if (logs.size() + defined.size() >= MAX_ITEMS) {
            throw AttestationException.malformed("a policy has at most " + MAX_ITEMS + " logs, witnesses and groups");
        }
        switch (words.getFirst()) {
            case "log" -> log(words);
            case "witness" -> witness(words);
            case "group" -> group(words);
            case "quorum" -> quorum(words);
            default ->
                throw AttestationException.malformed("a line starts with log, witness, group, quorum or #, got \""
                        + Excerpt.of(words.getFirst()) + "\"");
        }
    }

    private void log(List<String> words) throws AttestationException {
        require(words.size() == 2 || words.size() == 3, "log VKEY [URL]");
        logs.add(new LogIdentity(key(words.get(1), NoteKeyType.ED25519), url(words, 2)));
    }

    private void witness(List<String> words) throws AttestationException {
        require(words.size() == 3 || words.size() == 4, "witness NAME VKEY [URL]");
        WitnessIdentity witness =
                new WitnessIdentity(words.get(1), key(words.get(2), NoteKeyType.COSIGNATURE_V1), url(words, 3));
        define(witness.name(), new Quorum.One(witness));
        witnesses.add(witness);
    }

    private void group(List<String> words) throws AttestationException {
        require(words.size() >= 4, "group NAME all|any|K MEMBER…");
        List<Quorum> members = new ArrayList<>();
        for (String member : words.subList(3, words.size())) {
            members.add(defined(member));
            if (!usedAsMember.add(member)) {
                throw AttestationException.malformed(
                        "\"" + Excerpt.of(member) + "\" is a member twice; each witness may count in one way only");
            }
        }
        long threshold = switch (words.get(2)) {
            case "all" -> members.size();
            case "any" -> 1;
            default -> NoteText.decimal(words.get(2), "a group's threshold");
        };
        if (threshold < 1 || threshold > members.size()) {
            throw AttestationException.malformed(
                    "a group's threshold is between 1 and its %d members, got %d".formatted(members.size(), threshold));
        }
        define(words.get(1), new Quorum.Group(Math.toIntExact(threshold), members));
    }

    private void quorum(List<String> words) throws AttestationException {
        require(words.size() == 2, "quorum NAME");
        if (quorum.isPresent()) {
            throw AttestationException.malformed("a policy has one quorum line, this is a second");
        }
        quorum = Optional.of(words.get(1).equals("none") ? new Quorum.None() : defined(words.get(1)));
    }

    private Quorum defined(String name) throws AttestationException {
        Quorum found = defined.get(name);
        if (found == null) {
            throw AttestationException.malformed(
                    "\"" + Excerpt.of(name) + "\" is no witness or group of an earlier line");
        }
        return found;
    }

    private void define(String name, Quorum meaning) throws AttestationException {
        if (name.equals("none") || defined.putIfAbsent(name, meaning) != null) {
            throw AttestationException.malformed("the name \"" + Excerpt.of(name) + "\" is taken");
        }
    }

    private NoteVerifier key(String vkey, NoteKeyType type) throws AttestationException {
        NoteVerifier key = NoteVerifier.parse(vkey);
        if (key.type() != type) {
            throw AttestationException.malformed(
                    "the key of \"%s\" should be of type %s, is of type %s".formatted(key.name(), type, key.type()));
        }
        if (!keysSeen.add(type + HexFormat.of().formatHex(key.publicKey()))) {
            throw AttestationException.malformed(
                    "the public key of \"" + key.name() + "\" is listed twice; one key counts once");
        }
        return key;
    }

    private static Optional<URI> url(List<String> words, int index) throws AttestationException {
        if (words.size() <= index) {
            return Optional.empty();
        }
        try {
            return Optional.of(new URI(words.get(index)));
        } catch (URISyntaxException e) {
            throw new AttestationException(
                    AttestationException.Kind.MALFORMED,
                    "\"" + Excerpt.of(words.get(index)) + "\" is no URL: " + e.getReason(),
                    e);
        }
    }

    private static void require(boolean shape, String expected) throws AttestationException {
        if (!shape) {
            throw AttestationException.malformed("expected \"" + expected + "\"");
        }
    }
}
