package org.bitwitness.protocol.format;

import java.util.ArrayList;
import java.util.List;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.record.MixtureSpec;

/** The key {@code data.mixture} of a descriptor and of a training configuration. */
public final class MixtureJson {
    private MixtureJson() {}

    static Json write(MixtureSpec mixture) {
        return Json.object()
                .put("order", MixtureSpec.ORDER)
                .put(
                        "parts",
                        new Json.Arr(mixture.parts().stream()
                                .<Json>map(part -> Json.object()
                                        .put("documents", part.documents())
                                        .put("weight", part.weight())
                                        .build())
                                .toList()))
                .build();
    }

    static MixtureSpec read(JsonFields in) throws ProtocolException {
        in.word("order", List.of(MixtureSpec.ORDER));
        MixtureSpec mixture = read(in, "parts");
        in.end();
        return mixture;
    }

    /** The list of parts, which both spell alike. */
    public static MixtureSpec read(JsonFields in, String key) throws ProtocolException {
        List<MixtureSpec.Part> parts = new ArrayList<>();
        try {
            for (JsonFields part : in.objects(key, MixtureSpec.MAX_PARTS)) {
                String documents = part.text("documents");
                int weight = part.integer32("weight", 1, MixtureSpec.MAX_WEIGHT);
                part.end();
                parts.add(new MixtureSpec.Part(documents, weight));
            }
            return new MixtureSpec(parts);
        } catch (IllegalArgumentException e) {
            throw new ProtocolException(ProtocolException.Kind.MALFORMED, in.path() + ": " + e.getMessage(), e);
        }
    }
}
