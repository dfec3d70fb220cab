package org.bitwitness.recorder.exchange;

import java.io.IOException;
import java.time.Duration;
import java.util.BitSet;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntFunction;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.recorder.exchange.ShardPlan.Segment;
import org.bitwitness.recorder.wire.Connection;
import org.bitwitness.recorder.wire.MeshMessages;
import org.bitwitness.recorder.wire.MessageType;
import org.bitwitness.recorder.wire.PeerLostException;

/**
 * What one worker receives from another: the other's gradient in this worker's segments, then the other's combined segments. A
 * thread reads as it comes; numbers of a step that this worker has not begun wait in the network.
 */
final class Inbox {
    private final ShardPlan plan;
    private final int self;
    private final int peer;
    private final Connection connection;
    private final float[][] contributions;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private long step = -1;
    private Optional<IntFunction<float[]>> into = Optional.empty();
    // Segments of this step that have begun to come: a peer's own first, its sums after them.
    private final BitSet seen = new BitSet();
    private int contributed;
    private int combined;
    private Optional<String> failure = Optional.empty();

    Inbox(ShardPlan plan, int self, int peer, Connection connection) {
        this.plan = plan;
        this.self = self;
        this.peer = peer;
        this.connection = connection;
        this.contributions = new float[plan.ofOwner(self).size()][];
        plan.ofOwner(self).forEach(segment -> contributions[segment.place()] = new float[segment.length()]);
    }

    void start() {
        Thread.ofVirtual().name("inbox").start(this::run);
    }

    /** Opens the step for contributions. */
    void begin(StepIndex opened) {
        locked(() -> {
            step = opened.value();
            contributed = 0;
            combined = 0;
            seen.clear();
        });
    }

    /** From now on the peer's segments after combining are welcome; each goes to its place in the parameter's array. */
    void combinedInto(IntFunction<float[]> tensors) {
        locked(() -> into = Optional.of(tensors));
    }

    /** The step is over; nothing is written into those arrays any more. */
    void end() {
        locked(() -> {
            into = Optional.empty();
            step = -1;
        });
    }

    void fail(IOException e) {
        locked(() -> failure = Optional.of(String.valueOf(e.getMessage())));
    }

    /** The peer's numbers in one of this worker's segments. */
    float[] contribution(int place) {
        return contributions[place];
    }

    /** @throws PeerLostException if they do not come in time */
    void awaitContributions(Duration limit) throws PeerLostException {
        await(limit, false);
    }

    /** @throws PeerLostException if they do not come in time */
    void awaitCombined(Duration limit) throws PeerLostException {
        await(limit, true);
    }

    private void await(Duration limit, boolean sums) throws PeerLostException {
        int wanted = sums ? plan.ofOwner(peer).size() : contributions.length;
        long left = limit.toNanos();
        lock.lock();
        try {
            while ((sums ? combined : contributed) < wanted) {
                if (failure.isPresent()) {
                    throw new PeerLostException(peer, "closed its connection (" + failure.get() + ")");
                }
                if (left <= 0) {
                    throw new PeerLostException(peer, "has sent nothing for %d s".formatted(limit.toSeconds()));
                }
                left = changed.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PeerLostException(peer, "was waited for when this worker was told to end");
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        try {
            while (true) {
                read(MeshMessages.Bucket.read(connection.receive(MessageType.BUCKET)));
            }
        } catch (IOException e) {
            fail(e);
        } catch (ProtocolException e) {
            fail(new IOException("it sent what is no bucket: " + e.getMessage(), e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            fail(new IOException("closed", e));
        }
    }

    private void read(MeshMessages.Bucket bucket) throws IOException, InterruptedException {
        Optional<IntFunction<float[]>> sums = awaitOpen(bucket);
        int done = 0;
        for (int index : bucket.segments()) {
            Segment segment = segment(bucket, index);
            requireFirst(bucket, index);
            if (bucket.combined()) {
                connection.receiveFloats(
                        sums.orElseThrow().apply(segment.parameter()), segment.offset(), segment.length());
            } else {
                connection.receiveFloats(contributions[segment.place()], 0, segment.length());
            }
            done++;
        }
        int arrived = done;
        locked(() -> {
            contributed += bucket.combined() ? 0 : arrived;
            combined += bucket.combined() ? arrived : 0;
        });
    }

    /** Segments of this worker's share, or of the peer's where it has combined them; nothing else is written to. */
    private Segment segment(MeshMessages.Bucket bucket, int index) throws IOException {
        int owner = bucket.combined() ? peer : self;
        if (index < 0
                || index >= plan.segments().size()
                || plan.segments().get(index).owner() != owner) {
            throw new IOException("it sent segment %d, which belongs to another worker".formatted(index));
        }
        return plan.segments().get(index);
    }

    /** What came once may be hashed and added by now, so it must not come again. */
    private void requireFirst(MeshMessages.Bucket bucket, int index) throws IOException {
        lock.lock();
        try {
            int place = bucket.combined() ? plan.segments().size() + index : index;
            if (seen.get(place)) {
                throw new IOException("it sent segment %d of step %s twice".formatted(index, bucket.step()));
            }
            seen.set(place);
        } finally {
            lock.unlock();
        }
    }

    /** Waits until this worker is where the peer is. */
    private Optional<IntFunction<float[]>> awaitOpen(MeshMessages.Bucket bucket)
            throws IOException, InterruptedException {
        lock.lock();
        try {
            while (step != bucket.step().value() || (bucket.combined() && into.isEmpty())) {
                if (failure.isPresent()) {
                    throw new IOException(failure.get());
                }
                changed.await();
            }
            return into;
        } finally {
            lock.unlock();
        }
    }

    private void locked(Runnable change) {
        lock.lock();
        try {
            change.run();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
