package org.bitwitness.attestation.statement;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.vrf.VrfProof;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.format.Json;
import org.bitwitness.protocol.format.JsonFields;
import org.bitwitness.protocol.record.BeaconMode;

/** The randomness that a challenge says it used, with what proves it. Named in JSON, never chosen silently. */
public sealed interface BeaconEvidence {
    /** Which kind this is. */
    BeaconMode mode();

    /**
     * A round of drand quicknet.
     *
     * @param round fixed by rule from the time of the cosignatures
     * @param signatureHex 48 bytes, a point on G1
     * @param checkpoint the cosigned note of the first checkpoint that holds the commitment: its times fix the round
     */
    record Drand(long round, String signatureHex, String checkpoint) implements BeaconEvidence {
        /** Characters of the note at most. */
        public static final int MAX_CHECKPOINT_CHARACTERS = 1 << 16;

        public Drand {
            if (checkpoint.isEmpty() || checkpoint.length() > MAX_CHECKPOINT_CHARACTERS) {
                throw new IllegalArgumentException(
                        "a drand beacon has the checkpoint that fixes its round, of at most %d characters"
                                .formatted(MAX_CHECKPOINT_CHARACTERS));
            }
            if (round < 1 || !signatureHex.matches("[0-9a-f]{96}")) {
                throw new IllegalArgumentException(
                        "a drand beacon has a round of 1 or more and a signature of 96 hex digits");
            }
        }

        @Override
        public BeaconMode mode() {
            return BeaconMode.DRAND;
        }

        public byte[] signature() {
            return HexFormat.of().parseHex(signatureHex);
        }
    }

    /** Proofs of every witness that the policy requires, in the order of their names. */
    record WitnessVrf(List<WitnessProof> proofs) implements BeaconEvidence {
        /** Witnesses at most. */
        public static final int MAX_WITNESSES = 64;

        public WitnessVrf {
            proofs = List.copyOf(proofs);
            Set<String> names = new HashSet<>();
            if (proofs.isEmpty()
                    || proofs.size() > MAX_WITNESSES
                    || !proofs.stream().allMatch(p -> names.add(p.name()))) {
                throw new IllegalArgumentException(
                        "a witness beacon has 1 to %d proofs of different witnesses".formatted(MAX_WITNESSES));
            }
        }

        @Override
        public BeaconMode mode() {
            return BeaconMode.WITNESS_VRF;
        }
    }

    /** The auditor's own VRF and nothing else. */
    record VrfOnly() implements BeaconEvidence {
        @Override
        public BeaconMode mode() {
            return BeaconMode.VRF_ONLY;
        }
    }

    /**
     * One witness's answer.
     *
     * @param name as in its cosignature lines
     * @param proof its VRF over the checkpoint and the entry
     */
    record WitnessProof(String name, VrfProof proof) {
        public WitnessProof {
            if (name.isEmpty() || name.length() > 255) {
                throw new IllegalArgumentException("a witness name has 1 to 255 characters, got " + name.length());
            }
        }
    }

    /** The JSON in a challenge. */
    default Json.Obj toJson() {
        Json.Builder out = Json.object().put("mode", mode().text());
        return switch (this) {
            case Drand drand ->
                out.put("checkpoint", drand.checkpoint())
                        .put("round", drand.round())
                        .put("signature", drand.signatureHex())
                        .build();
            case WitnessVrf witnesses -> {
                List<Json> list = new ArrayList<>();
                for (WitnessProof proof : witnesses.proofs()) {
                    list.add(Json.object()
                            .put("name", proof.name())
                            .put("proof", proof.proof().hex())
                            .build());
                }
                yield out.put("witnesses", new Json.Arr(list)).build();
            }
            case VrfOnly unused -> out.build();
        };
    }

    /** Reads {@link #toJson}. */
    static BeaconEvidence read(JsonFields in) throws ProtocolException, AttestationException {
        String word = in.text("mode");
        BeaconMode mode = Reading.value(in.path(), () -> BeaconMode.ofText(word));
        BeaconEvidence beacon = switch (mode) {
            case DRAND -> {
                long round = in.integer("round", 1, Long.MAX_VALUE);
                String signature = in.text("signature");
                String checkpoint = in.text("checkpoint");
                yield Reading.value(in.path(), () -> new Drand(round, signature, checkpoint));
            }
            case WITNESS_VRF -> {
                List<WitnessProof> proofs = new ArrayList<>();
                for (JsonFields item : in.objects("witnesses", WitnessVrf.MAX_WITNESSES)) {
                    String name = item.text("name");
                    VrfProof proof = VrfProof.ofHex(item.text("proof"));
                    item.end();
                    proofs.add(Reading.value(item.path(), () -> new WitnessProof(name, proof)));
                }
                yield Reading.value(in.path(), () -> new WitnessVrf(proofs));
            }
            case VRF_ONLY -> new VrfOnly();
        };
        in.end();
        return beacon;
    }
}
