package org.bitwitness.cli.drill;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.protocol.DescriptorDigest;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.audit.DrillList;
import org.bitwitness.protocol.format.Json;
import org.bitwitness.protocol.format.JsonFields;
import org.bitwitness.protocol.format.PlantedFaultJson;
import org.bitwitness.protocol.format.StrictJson;
import org.bitwitness.protocol.record.PlantedFault;

/**
 * A drill's secret, as its owner keeps it until the opening. Only the owner can read the file.
 *
 * <pre>
 * {"descriptorDigest":"…","drillCommitment":"…","faults":[…],"salt":"…","version":1}
 * </pre>
 */
final class PlanFile {
    private static final int MAX_BYTES = 1 << 20;

    private PlanFile() {}

    static void write(Path file, DrillList drill) throws CommandFailure, IOException {
        List<Json> faults = new ArrayList<>();
        drill.faults().forEach(fault -> faults.add(PlantedFaultJson.toJson(fault)));
        String text = Json.object()
                        .put("descriptorDigest", drill.descriptor().hex())
                        .put("drillCommitment", drill.commitment().hex())
                        .put("faults", new Json.Arr(faults))
                        .put("salt", drill.salt().hex())
                        .put("version", 1)
                        .build()
                        .toText()
                + "\n";
        try {
            if (FileSystems.getDefault().supportedFileAttributeViews().contains("posix")) {
                Files.createFile(
                        file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            } else {
                Files.createFile(file);
            }
        } catch (FileAlreadyExistsException e) {
            throw CommandFailure.usage(
                    file + " is there already: a plan is never overwritten, its commitment may be in a log");
        }
        Files.writeString(file, text);
    }

    /** Reads a plan of one's own: nothing is judged where it cannot be used. */
    static DrillList read(Path file) throws CommandFailure, IOException {
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            throw CommandFailure.usage("no such plan: " + file + "; `bitwitness drill plan` draws one");
        }
        if (Files.size(file) > MAX_BYTES) {
            throw CommandFailure.usage("%s has over %d bytes: that is no plan".formatted(file, MAX_BYTES));
        }
        try {
            return read(file.toString(), Files.readString(file, StandardCharsets.UTF_8));
        } catch (ProtocolException e) {
            throw CommandFailure.usage(String.valueOf(e.getMessage()));
        }
    }

    private static DrillList read(String place, String text) throws ProtocolException, CommandFailure {
        JsonFields in = JsonFields.of(place, StrictJson.object(text.getBytes(StandardCharsets.UTF_8), place));
        in.integer("version", 1, 1);
        DescriptorDigest descriptor = new DescriptorDigest(in.digest("descriptorDigest"));
        Sha256 commitment = in.digest("drillCommitment");
        Sha256 salt = in.digest("salt");
        List<PlantedFault> faults = new ArrayList<>();
        for (JsonFields fault : in.objects("faults", DrillList.MAX_FAULTS)) {
            faults.add(PlantedFaultJson.read(fault));
        }
        in.end();
        DrillList drill = CommandFailure.typed(() -> new DrillList(descriptor, faults, salt));
        if (!drill.commitment().equals(commitment)) {
            throw in.refuse(
                    "drillCommitment",
                    "should be %s, which the rest of the plan gives: somebody changed it"
                            .formatted(drill.commitment()));
        }
        return drill;
    }
}
