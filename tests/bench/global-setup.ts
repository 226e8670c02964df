import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import '../harness/provided.ts';
import { isShort } from './bench-form.ts';
import { readCommit } from './page/commit.ts';
import { parseRecorded } from './page/figures.ts';
import { readMachine } from './page/machine.ts';
import { mergeRuns } from './page/merge-runs.ts';
import { readRuns, writePage } from './page/page-files.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const docs = join(root, 'docs');

/** Variables that choose the form of a benchmark. */
const forms = ['SOAK_MINUTES', 'ABUSER_SECONDS', 'ABUSERS', 'AUDIT_ROWS', 'LONG'].map(
  (name) => `TRUNKLINE_TEST_${name}`,
);

function chosenForm(): Record<string, string> {
  const isSet = (name: string) => process.env[name] !== undefined && process.env[name] !== '';
  return Object.fromEntries(forms.filter(isSet).map((name) => [name, String(process.env[name])]));
}

/** Collects the figures of the benchmarks, and writes docs/performance.md at the end. */
export default async function setup({ vitest, provide }: TestProject): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(tmpdir(), 'trunkline-bench-'));
  const figuresPath = join(directory, 'figures');
  await writeFile(figuresPath, '');
  provide('figuresPath', figuresPath);
  const { postgresUrl } = vitest.getRootProject().getProvidedContext();
  const facts = {
    date: new Date().toISOString().slice(0, 10),
    commit: await readCommit(root),
    machine: await readMachine(postgresUrl),
    loadBefore: Number((loadavg()[0] ?? 0).toFixed(1)),
    variables: chosenForm(),
  };
  return async () => {
    const lines = (await readFile(figuresPath, 'utf8')).split('\n').filter((line) => line !== '');
    const runs = mergeRuns(readRuns(docs), lines.map(parseRecorded), facts);
    if (lines.length === 0) return rm(directory, { recursive: true });
    // The short form is for trying: its page stays in the temporary directory.
    const target = isShort ? directory : docs;
    writePage(target, runs);
    process.stdout.write(`Wrote ${join(target, 'performance.md')}\n`);
    if (!isShort) await rm(directory, { recursive: true });
  };
}
