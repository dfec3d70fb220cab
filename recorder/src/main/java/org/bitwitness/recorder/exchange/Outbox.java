package org.bitwitness.recorder.exchange;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.recorder.exchange.ShardPlan.Segment;
import org.bitwitness.recorder.wire.Connection;
import org.bitwitness.recorder.wire.MeshMessages;
import org.bitwitness.recorder.wire.MessageType;

/** What one worker sends to another: segments are gathered into buckets, and a thread sends bucket after bucket. */
final class Outbox implements AutoCloseable {
    private final Connection connection;
    private final int bucketElements;
    private final LinkedBlockingQueue<Filled> queue = new LinkedBlockingQueue<>();
    private final Thread sender;
    private List<Part> filling = new ArrayList<>();
    private int elements;

    /** Numbers of a segment, which nobody changes before they are sent. */
    @SuppressWarnings("ArrayRecordComponent") // handed from thread to thread, never compared
    record Part(Segment segment, float[] data, int offset) {}

    private record Filled(StepIndex step, boolean combined, List<Part> parts) {}

    /** Told of a failure, once. */
    @FunctionalInterface
    interface Failure {
        void of(IOException e);
    }

    Outbox(Connection connection, int bucketBytes, Failure failure) {
        this.connection = connection;
        this.bucketElements = Math.max(1, bucketBytes / Float.BYTES);
        this.sender = Thread.ofVirtual().name("outbox").start(() -> run(failure));
    }

    /** By one thread at a time. A bucket that is full goes. */
    void put(StepIndex step, boolean combined, Part part) {
        filling.add(part);
        elements += part.segment().length();
        if (elements >= bucketElements) {
            flush(step, combined);
        }
    }

    /** Sends what is there, full or not; to be called before a step's other kind of numbers begins. */
    void flush(StepIndex step, boolean combined) {
        if (!filling.isEmpty()) {
            queue.add(new Filled(step, combined, filling));
            filling = new ArrayList<>();
            elements = 0;
        }
    }

    @Override
    public void close() {
        sender.interrupt();
    }

    private void run(Failure failure) {
        try {
            while (true) {
                send(queue.take());
            }
        } catch (IOException e) {
            failure.of(e);
        } catch (InterruptedException e) {
            // Closed.
            Thread.currentThread().interrupt();
        }
    }

    private void send(Filled bucket) throws IOException {
        List<Integer> segments =
                bucket.parts().stream().map(part -> part.segment().index()).toList();
        connection.send(
                MessageType.BUCKET, new MeshMessages.Bucket(bucket.step(), bucket.combined(), segments).toBytes());
        for (Part part : bucket.parts()) {
            connection.sendFloats(part.data(), part.offset(), part.segment().length());
        }
        connection.flush();
    }
}
