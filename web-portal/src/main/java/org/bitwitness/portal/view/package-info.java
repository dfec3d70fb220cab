/**
 * What the pages show, as plain values: records whose components are the fields of the HTTP API.
 *
 * <p>May import {@code org.bitwitness.protocol} only. The log and the recordings are turned into these values by
 * {@code org.bitwitness.portal.index}; {@code org.bitwitness.portal} writes them as JSON.
 */
@NullMarked
package org.bitwitness.portal.view;

import org.jspecify.annotations.NullMarked;
