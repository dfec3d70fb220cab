package org.bitwitness.cli.dispute;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.http.HttpService;
import org.bitwitness.attestation.keys.SigningKey;
import org.bitwitness.replayer.dispute.DisputeException;
import org.bitwitness.replayer.dispute.Move;
import org.bitwitness.replayer.dispute.Party;

/**
 * One dispute over HTTP, served by its referee. Anybody reads; only what one of the two sides has signed, at its turn, is
 * taken; of the data only what the disputed operator reads. The referee answers every message with a receipt or a ruling.
 *
 * <pre>
 * GET  /premise/NAME  /messages/NNNN.json  /data/NAME      a file of the folder, or 404
 * POST /messages/NNNN.json                                 201 taken · 409 not this number now · 403 refused, with the reason
 * POST /data/NAME                                          201 taken · 403 not owed, or not what its name says
 * </pre>
 */
final class DisputeServer implements AutoCloseable {
    /** Of one tensor. */
    static final int MAX_BODY_BYTES = 1 << 28;

    private static final Pattern FILE = Pattern.compile("/(premise|messages|data)/([A-Za-z0-9][A-Za-z0-9.]{0,79})");
    private static final long LOOK_EVERY_SECONDS = 2;

    private final DisputeFolder folder;
    private final SigningKey key;
    private final RefereeDesk desk;
    private final Consumer<String> notes;
    private final ScheduledExecutorService watch = Executors.newSingleThreadScheduledExecutor();
    private Optional<HttpService> service = Optional.empty();

    private DisputeServer(DisputeFolder folder, SigningKey key, RefereeDesk desk, Consumer<String> notes) {
        this.folder = folder;
        this.key = key;
        this.desk = desk;
        this.notes = notes;
    }

    /** Starts to serve a dispute whose referee has this key. */
    static DisputeServer start(DisputeFolder folder, SigningKey key, RefereeDesk desk, InetSocketAddress address)
            throws AttestationException, IOException, DisputeException {
        DisputeServer server = new DisputeServer(folder, key, desk, desk.notes());
        server.act();
        server.service = Optional.of(HttpService.start(address, MAX_BODY_BYTES, server::handle));
        var unused = server.watch.scheduleWithFixedDelay(
                server::look, LOOK_EVERY_SECONDS, LOOK_EVERY_SECONDS, TimeUnit.SECONDS);
        return server;
    }

    URI url() {
        return service.orElseThrow().url();
    }

    @Override
    public void close() {
        watch.shutdown();
        service.ifPresent(HttpService::close);
    }

    /** A deadline may be over without anybody asking. */
    private void look() {
        try {
            act();
        } catch (IOException | DisputeException | RuntimeException e) {
            notes.accept("cannot act as referee: " + e.getMessage());
        }
    }

    private synchronized Transcript act() throws IOException, DisputeException {
        Transcript transcript = Transcript.read(folder);
        Optional<Move> move = desk.next(transcript);
        if (move.isPresent()) {
            transcript.append(key, move.get());
        }
        return transcript;
    }

    private HttpService.Reply handle(HttpService.Request request) throws AttestationException {
        var file = FILE.matcher(request.path());
        if (!file.matches()) {
            return HttpService.Reply.error(404, "a dispute has /premise/, /messages/ and /data/");
        }
        try {
            return switch (request.method()) {
                case "GET", "HEAD" -> get(folder.path().resolve(file.group(1)).resolve(file.group(2)));
                case "POST" -> post(file.group(1), file.group(2), request.body());
                default -> HttpService.Reply.error(405, "GET or POST");
            };
        } catch (DisputeException e) {
            throw AttestationException.refused(e.getMessage());
        } catch (IOException e) {
            throw AttestationException.environment("the dispute's folder cannot be used: " + e.getMessage());
        }
    }

    /** In turn with what is taken: whoever sees a message sees the referee's answer to it too. */
    private synchronized HttpService.Reply get(Path file) throws IOException, DisputeException {
        return Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)
                ? new HttpService.Reply(200, "application/octet-stream", DisputeFolder.read(file, MAX_BODY_BYTES))
                : HttpService.Reply.error(404, "not there");
    }

    private synchronized HttpService.Reply post(String kind, String name, byte[] body)
            throws IOException, DisputeException {
        Transcript transcript = act();
        switch (kind) {
            case "messages" -> {
                long next = transcript.messages().size();
                if (!("messages/" + name).equals(DisputeFolder.name(next))) {
                    return HttpService.Reply.error(409, "the next message is " + DisputeFolder.name(next));
                }
                if (transcript.take(body) == Party.REFEREE) {
                    throw new DisputeException("the referee speaks here itself");
                }
                folder.append(next, body);
            }
            case "data" ->
                new FolderShelf(folder.data())
                        .take(
                                transcript
                                        .game()
                                        .operator()
                                        .orElseThrow(() -> new DisputeException("no data is owed now")),
                                name,
                                body);
            default -> {
                return HttpService.Reply.error(405, "the premise does not change");
            }
        }
        act();
        return HttpService.Reply.text(201, "taken\n");
    }
}
