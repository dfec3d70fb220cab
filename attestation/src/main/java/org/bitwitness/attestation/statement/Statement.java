package org.bitwitness.attestation.statement;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.dsse.DsseEnvelope;
import org.bitwitness.attestation.dsse.VerifiedPayload;
import org.bitwitness.attestation.keys.SigningKey;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.format.Json;
import org.bitwitness.protocol.format.JsonFields;
import org.bitwitness.protocol.format.StrictJson;

/**
 * An in-toto Statement v1: subjects, a predicate type, and the predicate as JSON.
 *
 * <pre>
 * {"_type":"https://in-toto.io/Statement/v1","predicate":{…},"predicateType":"https://bitwitness.org/…",
 *  "subject":[{"digest":{"sha256":"…"},"name":"model.safetensors"}]}
 * </pre>
 *
 * <p>Unknown fields beside these are ignored, as in-toto asks; our own predicates refuse theirs. A subject without a
 * {@code sha256} digest is refused, because it could not be matched.
 *
 * @see <a href="https://github.com/in-toto/attestation/blob/main/spec/v1/statement.md">in-toto Statement v1</a>
 */
public record Statement(List<Subject> subjects, String predicateType, Json.Obj predicate) {
    /** Value of {@code _type}. */
    public static final String TYPE = "https://in-toto.io/Statement/v1";

    /** Subjects at most. */
    public static final int MAX_SUBJECTS = 10_000;

    public Statement {
        subjects = List.copyOf(subjects);
        if (subjects.isEmpty() || subjects.size() > MAX_SUBJECTS) {
            throw new IllegalArgumentException(
                    "a statement has 1 to %d subjects, got %d".formatted(MAX_SUBJECTS, subjects.size()));
        }
    }

    /** Reads the statement in a verified body: exactly the bytes that were signed. */
    public static Statement parse(VerifiedPayload payload) throws AttestationException {
        if (!payload.payloadType().equals(DsseEnvelope.IN_TOTO)) {
            throw AttestationException.refused(
                    "expected payload type %s, found %s".formatted(DsseEnvelope.IN_TOTO, payload.payloadType()));
        }
        return parse(payload.body());
    }

    /** Reads JSON of any origin; says nothing about who signed it. */
    public static Statement parse(byte[] json) throws AttestationException {
        try {
            return of(JsonFields.of("statement", StrictJson.object(json, "statement")));
        } catch (ProtocolException e) {
            throw AttestationException.of(e);
        }
    }

    private static Statement of(JsonFields fields) throws ProtocolException {
        fields.word("_type", List.of(TYPE));
        List<Subject> subjects = new ArrayList<>();
        for (JsonFields subject : fields.objects("subject", MAX_SUBJECTS)) {
            Sha256 digest = subject.object("digest").digest("sha256");
            var name = subject.optionalText("name");
            if (name.isPresent() && name.get().length() > Subject.MAX_NAME_CHARACTERS) {
                throw subject.refuse("name", "has at most " + Subject.MAX_NAME_CHARACTERS + " characters");
            }
            subjects.add(new Subject(name, digest));
        }
        if (subjects.isEmpty()) {
            throw fields.refuse("subject", "should have at least one item");
        }
        if (!(fields.any("predicate") instanceof Json.Obj predicate)) {
            throw fields.refuse("predicate", "should be an object");
        }
        return new Statement(subjects, fields.text("predicateType"), predicate);
    }

    /** True when a subject has this digest. */
    public boolean isAbout(Sha256 digest) {
        return subjects.stream().anyMatch(subject -> subject.sha256().equals(digest));
    }

    /** The JSON, keys sorted at every level. */
    public Json.Obj toJson() {
        List<Json> list = new ArrayList<>();
        for (Subject subject : subjects) {
            Json.Builder one = Json.object()
                    .put(
                            "digest",
                            Json.object().put("sha256", subject.sha256().hex()).build());
            subject.name().ifPresent(name -> one.put("name", name));
            list.add(one.build());
        }
        return Json.object()
                .put("_type", TYPE)
                .put("predicate", predicate)
                .put("predicateType", predicateType)
                .put("subject", new Json.Arr(list))
                .build()
                .sorted();
    }

    /** UTF-8 of {@link #toJson()}: what is signed. */
    public byte[] toBytes() {
        return toJson().toText().getBytes(StandardCharsets.UTF_8);
    }

    /** Signs this statement. */
    public DsseEnvelope sign(SigningKey key) {
        return DsseEnvelope.sign(DsseEnvelope.IN_TOTO, toBytes(), key);
    }
}
