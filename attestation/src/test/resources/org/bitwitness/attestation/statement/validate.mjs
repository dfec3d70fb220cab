// Usage: node validate.mjs SCHEMA DOCUMENT...
// For each document prints one line: "valid" or "invalid: PATH MESSAGE".
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';

const [schemaFile, ...documents] = process.argv.slice(2);
const ajv = new Ajv2020({ strict: false });
const validate = ajv.compile(JSON.parse(readFileSync(schemaFile, 'utf8')));
for (const file of documents) {
  const ok = validate(JSON.parse(readFileSync(file, 'utf8')));
  const first = validate.errors?.[0];
  console.log(ok ? 'valid' : `invalid: ${first.instancePath} ${first.message.replaceAll('\n', '\\n')}`);
}
