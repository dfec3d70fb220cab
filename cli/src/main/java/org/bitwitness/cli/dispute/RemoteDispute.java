package org.bitwitness.cli.dispute;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.http.HttpClients;
import org.bitwitness.replayer.dispute.DisputeException;
import org.bitwitness.replayer.dispute.Message;
import org.bitwitness.replayer.dispute.OperatorCase;

/** A dispute that its referee serves: a copy of it in a folder, and what is added to the copy sent back. */
final class RemoteDispute {
    private static final int MAX_ANSWER_BYTES = 1 << 16;

    private final URI url;
    private final DisputeFolder copy;

    private RemoteDispute(URI url, DisputeFolder copy) {
        this.url = url;
        this.copy = copy;
    }

    static boolean isUrl(String place) {
        String lower = place.toLowerCase(Locale.ROOT);
        return lower.startsWith("http://") || lower.startsWith("https://");
    }

    /** Copies premise, messages and, once they are proven, the operator's inputs. */
    static RemoteDispute fetch(String place, Path into) throws AttestationException, IOException, DisputeException {
        URI url = URI.create(place);
        RemoteDispute remote = new RemoteDispute(url, new DisputeFolder(into));
        DisputeFolder.create(
                into,
                new DisputeFolder.Pieces(
                        remote.needed("premise/" + DisputeFolder.OPEN),
                        remote.needed("premise/" + DisputeFolder.COMMITMENT),
                        remote.needed("premise/" + DisputeFolder.DESCRIPTOR),
                        remote.needed("premise/" + DisputeFolder.STEP),
                        remote.get("premise/" + DisputeFolder.BUNDLE, DisputeFolder.MAX_PREMISE_BYTES)));
        for (long i = 0; i < Message.MAX_MESSAGES; i++) {
            Optional<byte[]> message = remote.get(DisputeFolder.name(i), DisputeFolder.MAX_ENVELOPE_BYTES);
            if (message.isEmpty()) {
                break;
            }
            remote.copy.append(i, message.get());
        }
        Optional<OperatorCase> operator = Transcript.read(remote.copy).game().operator();
        if (operator.isPresent() && !operator.get().isHandOver()) {
            for (String name : FolderShelf.names(operator.get())) {
                Optional<byte[]> data = remote.get("data/" + name, DisputeServer.MAX_BODY_BYTES);
                if (data.isPresent()) {
                    DisputeFolder.write(remote.copy.data().resolve(name), data.get());
                }
            }
        }
        return remote;
    }

    DisputeFolder copy() {
        return copy;
    }

    /** Sends the message that was added to the copy, then data that the operator reads. */
    void send(Transcript transcript) throws AttestationException, IOException, DisputeException {
        String name = DisputeFolder.name(transcript.messages().size() - 1L);
        post(name, DisputeFolder.read(copy.path().resolve(name), DisputeFolder.MAX_ENVELOPE_BYTES));
        Optional<OperatorCase> operator = transcript.game().operator();
        if (operator.isPresent() && !operator.get().isHandOver()) {
            for (String file : FolderShelf.names(operator.get())) {
                Path path = copy.data().resolve(file);
                if (Files.exists(path)) {
                    post("data/" + file, DisputeFolder.read(path, DisputeServer.MAX_BODY_BYTES));
                }
            }
        }
    }

    private byte[] needed(String path) throws AttestationException, DisputeException {
        return get(path, DisputeFolder.MAX_PREMISE_BYTES)
                .orElseThrow(() -> new DisputeException("%s is not there: is %s a dispute?".formatted(path, url)));
    }

    private Optional<byte[]> get(String path, int maxBytes) throws AttestationException {
        HttpClients.Answer answer = HttpClients.get(HttpClients.resolve(url, path), maxBytes);
        return switch (answer.status()) {
            case 200 -> Optional.of(answer.body());
            case 404 -> Optional.empty();
            default ->
                throw AttestationException.environment(
                        "%s/%s: %d %s".formatted(url, path, answer.status(), answer.shown()));
        };
    }

    private void post(String path, byte[] body) throws AttestationException {
        HttpClients.Answer answer =
                HttpClients.post(HttpClients.resolve(url, path), "application/octet-stream", body, MAX_ANSWER_BYTES);
        if (answer.status() != 201) {
            throw AttestationException.refused(
                    "the referee did not take %s: %d %s".formatted(path, answer.status(), answer.shown()));
        }
    }
}
