package org.bitwitness.recorder.train;

import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.WorkerId;

/** Workers as threads of this process, over the same sockets and the same code as workers in processes. */
public final class InProcessWorkers implements WorkerLauncher {
    private final Worker.Home home;

    public InProcessWorkers() {
        this(RecordingMode.STEPS);
    }

    /** @param recording as in the run's {@link TrainingMeans} */
    public InProcessWorkers(RecordingMode recording) {
        this.home = new Worker.Home(Optional.empty(), 0, recording);
    }

    @Override
    public WorkerProcess launch(WorkerId worker, int port, Sha256 token) {
        Thread thread = Thread.ofPlatform()
                .daemon()
                .name("worker-" + worker)
                .start(() -> Worker.run(() -> new Socket(InetAddress.getLoopbackAddress(), port), worker, token, home));
        return new InThread(thread);
    }

    private record InThread(Thread thread) implements WorkerProcess {
        @Override
        public OptionalLong pid() {
            return OptionalLong.empty();
        }

        @Override
        public Optional<String> ending(Duration wait) {
            try {
                return thread.join(wait) ? Optional.of("ended") : Optional.empty();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return Optional.empty();
            }
        }

        @Override
        public void kill() {
            thread.interrupt();
        }
    }
}
