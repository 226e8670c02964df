import { readFileSync, writeFileSync } from 'node:fs';
import * as v from 'valibot';

const file = new URL('examples.json', import.meta.url);
const Examples = v.record(v.string(), v.object({ args: v.record(v.string(), v.unknown()), result: v.unknown() }));

/** One example of each method: the arguments that were sent and the result. */
export type Examples = v.InferOutput<typeof Examples>;

export function readExamples(): Examples {
  return v.parse(Examples, JSON.parse(readFileSync(file, 'utf8')));
}

export function writeExamples(examples: Examples): void {
  writeFileSync(file, `${JSON.stringify(examples, null, 2)}\n`);
}
