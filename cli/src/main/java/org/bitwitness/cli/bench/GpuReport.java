package org.bitwitness.cli.bench;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.cli.support.CommandResult;
import org.bitwitness.cli.support.ExitCode;
import org.bitwitness.cli.support.JsonOutput;

/**
 * All parts side by side. {@code benchmarks/gpu/run} leaves of each part a line in {@code parts.txt}, what it printed in
 * {@code PART.log}, and its figures in {@code PART.json} if it came to an end; ours and PyTorch's rows have the same names.
 */
final class GpuReport {
    /** Our rows below are held against PyTorch's of the same name; at least this much of it is aimed at. */
    private static final double TARGET_RATIO = 0.7;

    private static final int LAST_LINES = 3;
    private static final int TIMED_OUT = 124;
    private static final String TORCH = "torch-";

    /** A part that ran or was skipped; exit code -1 means skipped. */
    private record Part(String name, int exitCode, int seconds, int limit, String note) {
        String word() {
            return switch (exitCode) {
                case 0 -> "ok";
                case -1 -> "skipped";
                case TIMED_OUT -> "over its limit of " + limit + " s";
                default -> "exit code " + exitCode;
            };
        }
    }

    private final Path folder;

    private GpuReport(Path folder) {
        this.folder = folder;
    }

    /** Exit 0: every part did its work; 2: a comparison of bits failed; 1: something else did not come to an end. */
    static CommandResult of(Path folder, Optional<Path> out) throws IOException, CommandFailure {
        GpuReport report = new GpuReport(folder);
        List<Part> parts = report.parts();
        Map<String, GpuRow> ours = new LinkedHashMap<>();
        Map<String, GpuRow> torch = new LinkedHashMap<>();
        for (Part part : parts) {
            report.rows(part, part.name().startsWith(TORCH) ? torch : ours);
        }
        List<Figure> figures = figures(ours, torch);
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("device", report.text("device.log").strip());
        document.put("parts", report.described(parts));
        document.put("figures", figures.stream().map(Figure::document).toList());
        if (out.isPresent()) {
            Files.writeString(out.get(), JsonOutput.write(document) + "\n");
        }
        return CommandResult.of(exitCode(parts), document, report.lines(parts, figures));
    }

    private static ExitCode exitCode(List<Part> parts) {
        boolean bits = parts.stream().anyMatch(p -> p.exitCode() == ExitCode.REFUSED.code());
        boolean all = parts.stream().allMatch(p -> p.exitCode() <= 0);
        return bits ? ExitCode.REFUSED : all ? ExitCode.OK : ExitCode.USAGE;
    }

    private List<Part> parts() throws IOException, CommandFailure {
        List<Part> parts = new ArrayList<>();
        for (String line : text("parts.txt").lines().toList()) {
            String[] words = line.split(" ", 5);
            try {
                parts.add(new Part(
                        words[0],
                        Integer.parseInt(words[1]),
                        Integer.parseInt(words[2]),
                        Integer.parseInt(words[3]),
                        words[4]));
            } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
                throw CommandFailure.usage("parts.txt: a line is NAME EXIT SECONDS LIMIT NOTE, this is not: " + line);
            }
        }
        if (parts.isEmpty()) {
            throw CommandFailure.usage("no part ran: " + folder + " has no parts.txt with lines");
        }
        return parts;
    }

    private void rows(Part part, Map<String, GpuRow> into) throws IOException {
        String text = text(part.name() + ".json");
        if (text.isBlank() || part.exitCode() != 0) {
            return;
        }
        try {
            JsonNode rows = new ObjectMapper().readTree(text);
            if (rows.isArray()) {
                for (JsonNode row : rows) {
                    String name = row.path("name").asText();
                    into.put(
                            name,
                            new GpuRow(
                                    name,
                                    row.path("value").asDouble(),
                                    row.path("unit").asText()));
                }
            }
        } catch (JsonProcessingException e) {
            throw new IOException(part.name() + ".json is not JSON: " + e.getOriginalMessage(), e);
        }
    }

    /** One of our figures, with PyTorch's of the same name if there is one. */
    private record Figure(GpuRow ours, Optional<GpuRow> peer) {
        double ratio(GpuRow pytorch) {
            return ours.value() / pytorch.value();
        }

        Map<String, Object> document() {
            Map<String, Object> document = new LinkedHashMap<>();
            document.put("name", ours.name());
            document.put("ours", ours.value());
            document.put("unit", ours.unit());
            peer.ifPresent(pytorch -> {
                document.put("pytorch", pytorch.value());
                document.put("ratio", ratio(pytorch));
                document.put("aimedAt", TARGET_RATIO);
            });
            return document;
        }

        String line() {
            String line = String.format(Locale.ROOT, "%-24s %12.5g %s", ours.name(), ours.value(), ours.unit());
            return line
                    + peer.map(pytorch -> String.format(
                                    Locale.ROOT,
                                    ", PyTorch %.5g, ratio %.2f (aimed at %.1f)",
                                    pytorch.value(),
                                    ratio(pytorch),
                                    TARGET_RATIO))
                            .orElse("");
        }
    }

    private static List<Figure> figures(Map<String, GpuRow> ours, Map<String, GpuRow> torch) {
        return ours.values().stream()
                .map(row -> new Figure(row, Optional.ofNullable(torch.get(row.name()))))
                .toList();
    }

    private List<Map<String, Object>> described(List<Part> parts) throws IOException {
        List<Map<String, Object>> all = new ArrayList<>();
        for (Part part : parts) {
            Map<String, Object> one = new LinkedHashMap<>();
            one.put("name", part.name());
            one.put("result", part.word());
            one.put("seconds", part.seconds());
            one.put("limit", part.limit());
            one.put("printed", text(part.name() + ".log").lines().toList());
            all.add(one);
        }
        return all;
    }

    private List<String> lines(List<Part> parts, List<Figure> figures) throws IOException {
        List<String> lines = new ArrayList<>();
        for (Part part : parts) {
            lines.add(String.format(
                    Locale.ROOT, "%-18s %4d s  %s%s", part.name(), part.seconds(), part.word(), note(part)));
            if (part.exitCode() > 0) {
                List<String> printed = text(part.name() + ".log").lines().toList();
                printed.subList(Math.max(0, printed.size() - LAST_LINES), printed.size())
                        .forEach(line -> lines.add("    " + line));
            }
        }
        lines.add("");
        figures.forEach(figure -> lines.add(figure.line()));
        return lines;
    }

    private static String note(Part part) {
        return part.note().isEmpty() ? "" : ": " + part.note();
    }

    /** What a file of the folder says; nothing where it is missing. */
    private String text(String name) throws IOException {
        Path file = folder.resolve(name);
        return Files.isRegularFile(file) ? Files.readString(file, StandardCharsets.UTF_8) : "";
    }
}
