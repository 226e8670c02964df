import { execFile } from 'node:child_process';
import { availableParallelism, loadavg, tmpdir, totalmem } from 'node:os';
import { promisify } from 'node:util';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { natsServerPath } from '@trunkline/local';
import postgres from 'postgres';
import type { TestProject } from 'vitest/node';
import { git, hg } from '../harness/remotes.ts';
import { type Machine, parseRecorded } from './page/figures.ts';
import '../harness/provided.ts';
import { isShort } from './bench-form.ts';
import { mergeRuns } from './page/merge-runs.ts';
import { readRuns, writePage } from './page/page-files.ts';

/** Returns the commit that was measured, and whether files differed from it; the files that a run writes do not count. */
async function readCommit(root: string): Promise<string> {
  try {
    const commit = (await git(root, 'rev-parse', '--short=12', 'HEAD')).trim();
    const changed = await git(root, 'status', '--porcelain', '--', '.', ':!docs/performance.*');
    return changed === '' ? commit : `${commit} with changes`;
  } catch {
    // A copy without its history.
    return 'unknown';
  }
}

const versionIn = (text: string) => /\d+(?:\.\d+)+/.exec(text)?.[0] ?? 'unknown';

async function postgresVersion(url: string): Promise<string> {
  const sql = postgres(url, { max: 1 });
  const [row] = await sql`show server_version`;
  await sql.end();
  return versionIn(String(row?.['server_version']));
}

/** Returns what the figures depend on, and nothing that names the machine. */
async function readMachine(postgresUrl: string): Promise<Machine> {
  const { stdout: nats } = await promisify(execFile)(natsServerPath(), ['--version']);
  return {
    cores: availableParallelism(),
    memoryGb: Math.round(totalmem() / 1e9),
    node: process.versions.node,
    postgres: await postgresVersion(postgresUrl),
    nats: versionIn(nats),
    git: versionIn(await git('.', '--version')),
    hg: versionIn(await hg('.', '--version', '-q')),
  };
}

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
