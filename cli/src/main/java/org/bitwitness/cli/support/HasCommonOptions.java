package org.bitwitness.cli.support;

/** What the handlers of failures ask a command, whatever kind of command it is. */
public interface HasCommonOptions {
    CommonOptions commonOptions();
}
