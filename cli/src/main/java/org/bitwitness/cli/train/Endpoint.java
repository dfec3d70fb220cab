package org.bitwitness.cli.train;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import org.bitwitness.cli.support.CommandFailure;

/** An address with a port, as people write it: {@code 10.0.0.1:4600}, {@code host-a:4600}, {@code [::1]:4600}. */
final class Endpoint {
    private static final int LAST_PORT = 65_535;

    private Endpoint() {}

    static InetSocketAddress parse(String option, String text) throws CommandFailure {
        int colon = text.lastIndexOf(':');
        String host = colon < 0 ? "" : text.substring(0, colon);
        String digits = text.substring(colon + 1);
        boolean number =
                !digits.isEmpty() && digits.length() <= 5 && digits.chars().allMatch(c -> c >= '0' && c <= '9');
        if (host.isEmpty() || !number || Integer.parseInt(digits) > LAST_PORT) {
            throw CommandFailure.usage(
                    "%s should be an address and a port such as 10.0.0.1:4600, is \"%s\"".formatted(option, text));
        }
        try {
            return new InetSocketAddress(InetAddress.getByName(host), Integer.parseInt(digits));
        } catch (UnknownHostException e) {
            throw CommandFailure.usage("%s: no address is known for the host %s".formatted(option, host));
        }
    }
}
