package org.bitwitness.recorder.wire;

import java.util.Optional;

/** What a frame is. The number is on the wire. */
public enum MessageType {
    /** Worker to coordinator, once: who I am, with the token. */
    HELLO(1),
    /** Coordinator to worker, once: descriptor, data, backend; the tensors of the state follow. */
    JOB(2),
    /** Worker to coordinator: the root of what it received. */
    READY(3),
    /** Coordinator to worker: compute the gradient of this step. */
    STEP(4),
    /** Worker to coordinator: what it read and computed; the gradient's tensors follow. */
    GRADIENT(5),
    /** Coordinator to worker: update; the combined gradient's tensors follow where the step is valid. */
    COMBINED(6),
    /** Worker to coordinator: what it holds after the update. */
    UPDATED(7),
    /** Coordinator to worker: the run is over. */
    STOP(8),
    /** Instead of any answer: why it cannot go on, or why a worker cannot join. */
    FAILED(9),
    /** Worker to coordinator instead of HELLO: a person started me on this host. */
    JOIN(10),
    /** Coordinator to worker: listen for the other workers. */
    MESH_OPEN(11),
    /** Worker to coordinator: where it listens. */
    MESH_AT(12),
    /** Coordinator to worker: where all listen. */
    MESH_PEERS(13),
    /** Worker to worker, once: who I am, with the secret. */
    MESH_HELLO(14),
    /** Worker to coordinator: connected with all others. */
    MESH_READY(15),
    /** Worker to worker: numbers of segments follow. */
    BUCKET(16),
    /** Coordinator to worker: everybody has computed its gradient. */
    EXCHANGE(17),
    /** Worker to coordinator: what it made of its segments; their numbers follow. */
    SHARD(18),
    /** Worker to coordinator instead of any answer: another worker is gone or silent. */
    PEER_LOST(19),
    /** Worker to coordinator: whether its share of the state can be updated. */
    VOTE(20),
    /** Coordinator to worker: whether everybody's can, so that it is. */
    DECIDED(21);

    private final int code;

    MessageType(int code) {
        this.code = code;
    }

    int code() {
        return code;
    }

    static Optional<MessageType> ofCode(int code) {
        for (MessageType type : values()) {
            if (type.code == code) {
                return Optional.of(type);
            }
        }
        return Optional.empty();
    }
}
