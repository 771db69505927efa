// Whether AsyncAPI's own parser accepts a document: prints what it has against it, ends with 1 if it refuses it.
import { readFileSync } from 'node:fs';
import { Parser } from '@asyncapi/parser';

const { document, diagnostics } = await new Parser().parse(readFileSync(process.argv[2], 'utf8'));
for (const one of diagnostics) console.log(`${one.code} ${one.path.join('.')}: ${one.message}`);
process.exit(document ? 0 : 1);
