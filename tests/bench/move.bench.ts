import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { beginOperation, openCopiesHere, openCopySource, type CopySource } from '../harness/copy-source.ts';
import { cpuMsOf, readProcesses } from '../harness/process-figures.ts';
import { isShort, roundCount } from './bench-form.ts';
import { median, report } from './median.ts';

const run = promisify(execFile);
const never = new AbortController().signal;
const megabyte = 2 ** 20;
const trees = {
  'four large files': { directories: 1, files: 4, bytes: (isShort ? 16 : 128) * megabyte },
  'small files': { directories: 256, files: isShort ? 2 : 20, bytes: 2_048 },
} as const;

let cluster: Cluster;
let sql: postgres.Sql;
/** From this process to the worker, to its directory, and within this process. */
let source: CopySource;
let beside: CopySource;
let here: CopySource;
let directory: string;

beforeAll(async () => {
  cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 0, workers: 1 });
  sql = postgres(cluster.databaseUrl, { max: 1, onnotice: () => {} });
  source = await openCopySource(cluster);
  beside = await openCopiesHere(cluster, sql, source);
  here = await openCopiesHere(cluster, sql);
  directory = await mkdtemp(join(tmpdir(), 'trunkline-bench-copies-'));
});
afterAll(async () => {
  await source.close();
  await here.close();
  await beside.close();
  await sql.end();
  await cluster.stop();
  await rm(directory, { recursive: true, force: true });
});

/** Makes a tree of incompressible files; returns its size in megabytes. */
async function makeTree(path: string, { directories, files, bytes }: (typeof trees)[keyof typeof trees]) {
  for (let at = 0; at < directories; at += 1) {
    await mkdir(join(path, String(at)), { recursive: true });
    for (let file = 0; file < files; file += 1)
      await writeFile(join(path, String(at), String(file)), randomBytes(bytes));
  }
  return (directories * files * bytes) / megabyte;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** Copies a tree as an operator would on one machine, and makes it durable. */
async function copyPlainly(path: string): Promise<number> {
  const target = join(directory, 'plain');
  await rm(target, { recursive: true, force: true });
  return timed(async () => {
    await run('cp', ['-a', '--reflink=never', path, target]);
    await run('sync', ['-f', target]);
  });
}

/** Copies a tree as workers do: from the beginning of a copy until it is in place and durable. */
async function copyBy({ copies }: CopySource, path: string) {
  const target = await beginOperation(sql, 'default');
  // The worker is a child of this process.
  const readCpu = async () => cpuMsOf(await readProcesses(), process.pid);
  const before = await readCpu();
  const ms = await timed(async () => {
    await copies.begin(target, null, never);
    await copies.send(target, { path, type: 'git', changedSince: null, linkSources: [] }, never);
    await copies.publish(target, never);
  });
  const cpuMs = (await readCpu()) - before;
  await rm(join(cluster.storageRoot, target.storagePath), { recursive: true });
  return { ms, cpuMs };
}

it.each(Object.entries(trees))(
  'a tree of %s, copied by cp and by workers',
  { timeout: 600_000 },
  async (name, shape) => {
    const path = join(directory, 'tree');
    const size = await makeTree(path, shape);
    await run('sync', ['-f', path]);
    const plain: number[] = [];
    const ways = [
      { way: 'two workers', by: source },
      { way: 'two workers of one machine', by: beside },
      { way: 'one worker', by: here },
    ].map((one) => ({ ...one, copied: new Array<Awaited<ReturnType<typeof copyBy>>>() }));
    await copyPlainly(path);
    for (const { by } of ways) await copyBy(by, path);
    for (let round = 0; round < roundCount; round += 1) {
      plain.push(await copyPlainly(path));
      for (const { by, copied } of ways) copied.push(await copyBy(by, path));
    }
    await rm(path, { recursive: true });
    for (const { way, copied } of ways) {
      expect(copied).toHaveLength(roundCount);
      const ms = median(copied.map((one) => one.ms));
      report(`a tree of ${name}, ${way}`, {
        'cp and sync, ms': median(plain),
        'copy, ms': ms,
        'copy, MB/s': size / (ms / 1_000),
        'of the rate of cp': median(copied.map((one, round) => (plain[round] ?? 0) / one.ms)),
        'CPU ms': median(copied.map(({ cpuMs }) => cpuMs)),
      });
    }
  },
);
