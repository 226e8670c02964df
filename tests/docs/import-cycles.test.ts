import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');

let directory: string;
beforeEach(async () => (directory = await mkdtemp(join(tmpdir(), 'trunkline-cycles-'))));
afterEach(() => rm(directory, { recursive: true }));

/** Returns which rules of the project two modules break, of which the second one imports the first. */
async function brokenRules(first: string, second: string): Promise<string[]> {
  await writeFile(join(directory, 'first.ts'), first);
  await writeFile(join(directory, 'second.ts'), second);
  const words = ['-c', '.oxlintrc.json', '-f', 'json', directory];
  const report = await new Promise<string>((resolve) => {
    // Oxlint exits with 1 when it has found something.
    execFile(join(root, 'node_modules/.bin/oxlint'), words, { cwd: root }, (_error, stdout) => resolve(stdout));
  });
  const { diagnostics } = JSON.parse(report) as { readonly diagnostics: readonly { readonly code: string }[] };
  return diagnostics.map(({ code }) => code);
}

const second = "import type { First } from './first.ts';\nexport interface Second {\n  readonly first: First;\n}\n";

it('lint accepts two modules of which one imports the types of the other', async () => {
  expect(await brokenRules('export interface First {\n  readonly id: number;\n}\n', second)).toEqual([]);
});

it.each([
  ['an import of types', "import type { Second } from './second.ts';\nexport type First = Second | null;\n"],
  ['an import of one type', "import { type Second } from './second.ts';\nexport type First = Second | null;\n"],
  ['an export of types', "export type { Second } from './second.ts';\nexport type First = number;\n"],
])('lint refuses a cycle that %s closes', async (_what, first) => {
  expect(await brokenRules(first, second)).toContain('import(no-cycle)');
});
