// Usage: node verify.mjs TRUSTED_ROOT KEY_PEM HINT BUNDLE...
// For each bundle prints one line: "accepted" or "refused: CODE". Offline; the log entry is required.
import { readFileSync } from 'node:fs';
import { bundleFromJSON } from '@sigstore/bundle';
import { TrustedRoot } from '@sigstore/protobuf-specs';
import { toSignedEntity, toTrustMaterial, Verifier } from '@sigstore/verify';

const [rootFile, keyFile, hint, ...bundles] = process.argv.slice(2);
const root = TrustedRoot.fromJSON(JSON.parse(readFileSync(rootFile, 'utf8')));
const keys = { [hint]: { rawBytes: readFileSync(keyFile, 'utf8') } };
const verifier = new Verifier(toTrustMaterial(root, keys), {
  tlogThreshold: 1,
  timestampThreshold: 0,
  ctlogThreshold: 0,
});
for (const file of bundles) {
  try {
    const bundle = bundleFromJSON(JSON.parse(readFileSync(file, 'utf8')));
    verifier.verify(toSignedEntity(bundle));
    console.log('accepted');
  } catch (e) {
    console.log(`refused: ${e.code ?? e.name}`);
  }
}
