import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import org.bitwitness.cli.Main;

/**
 * Runs one {@code bitwitness} command per line of standard input in one JVM, so that a training of hundreds of steps
 * pays for starting and warming a JVM once. Arguments are separated by tabs; each must succeed.
 */
public final class ProfileSteps {
    private ProfileSteps() {}

    public static void main(String[] args) throws IOException {
        PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
        PrintWriter err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            int code = Main.run(out, err, line.split("\t"));
            if (code != 0) {
                System.exit(code);
            }
            out.println("done");
        }
    }
}
