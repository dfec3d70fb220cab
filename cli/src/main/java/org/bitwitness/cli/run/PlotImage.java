package org.bitwitness.cli.run;

import com.github.weisj.jsvg.SVGDocument;
import com.github.weisj.jsvg.parser.LoaderContext;
import com.github.weisj.jsvg.parser.SVGLoader;
import com.github.weisj.jsvg.view.ViewBox;
import java.awt.Component;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import javax.imageio.ImageIO;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.cli.support.ExitCode;
import org.jspecify.annotations.Nullable;

/** A plot of ours as pixels, two for each unit of its width and height. PNG. */
final class PlotImage {
    private static final int SCALE = 2;

    private PlotImage() {}

    /**
     * Draws.
     *
     * @param svg a plot that this program made
     * @throws CommandFailure if this machine cannot draw text
     */
    static byte[] png(String svg) throws CommandFailure, IOException {
        System.setProperty("java.awt.headless", "true");
        try {
            SVGDocument document = new SVGLoader()
                    .load(
                            new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)),
                            null,
                            LoaderContext.createDefault());
            if (document == null) {
                throw new IllegalStateException("the plot is no SVG");
            }
            float width = document.size().width;
            float height = document.size().height;
            BufferedImage image =
                    new BufferedImage(SCALE * (int) width, SCALE * (int) height, BufferedImage.TYPE_INT_RGB);
            Graphics2D graphics = image.createGraphics();
            graphics.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
            graphics.scale(SCALE, SCALE);
            @Nullable Component nowhere = null;
            document.render(nowhere, graphics, new ViewBox(width, height));
            graphics.dispose();
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            ImageIO.write(image, "png", out);
            return out.toByteArray();
        } catch (LinkageError | InternalError | NullPointerException e) {
            // What the JDK throws where the system has no fonts, or no library for them.
            throw new CommandFailure(
                    ExitCode.USAGE,
                    "this machine cannot draw text (%s): install fontconfig and a font, or use --svg".formatted(e),
                    e);
        }
    }
}
