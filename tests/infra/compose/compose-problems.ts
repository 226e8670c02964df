import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DCLinter } from 'dclint';

interface Result {
  readonly messages: readonly { readonly line: number; readonly message: string }[];
}

/** Rules of style, which say nothing about what the file does. */
const styleRules = [
  'no-quotes-in-volumes',
  'service-dependencies-alphabetical-order',
  'service-keys-order',
  'service-ports-alphabetical-order',
  'services-alphabetical-order',
  'top-level-properties-order',
  // An image has a name whether it is built here or fetched.
  'no-build-and-image',
];

/** Returns what the schema of the Compose specification, and the rules of a linter, refuse in a file. */
export function composeProblems(text: string): readonly string[] {
  const directory = mkdtempSync(join(tmpdir(), 'trunkline-compose-'));
  try {
    const file = join(directory, 'compose.yaml');
    writeFileSync(file, text);
    const rules = Object.fromEntries(styleRules.map((name) => [name, 0 as const]));
    const linter = new DCLinter({ rules, quiet: false, debug: false, exclude: [] });
    const results: readonly Result[] = linter.lintFiles([file], false);
    return results.flatMap(({ messages }) => messages.map(({ line, message }) => `${line}: ${message}`));
  } finally {
    rmSync(directory, { recursive: true });
  }
}
