// Hashes a file piece by piece off the page's thread: memory stays at one piece whatever the file's size, and it works
// without a secure context, which the browser's own digest does not.
importScripts("/vendor/js-sha256/sha256.min.js");

const PIECE_BYTES = 8 * 1024 * 1024;

self.onmessage = async ({data: file}) => {
  try {
    const hash = self.sha256.create();
    for (let offset = 0; offset < file.size; offset += PIECE_BYTES) {
      hash.update(new Uint8Array(await file.slice(offset, offset + PIECE_BYTES).arrayBuffer()));
      self.postMessage({done: Math.min(1, (offset + PIECE_BYTES) / file.size)});
    }
    self.postMessage({digest: hash.hex()});
  } catch (failure) {
    self.postMessage({error: `could not read the file: ${failure.message}`});
  }
};
