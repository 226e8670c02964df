import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startApp } from '@trunkline/local';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import * as v from 'valibot';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { cpuMsOf, readProcesses } from '../harness/process-figures.ts';
import { git } from '../harness/remotes.ts';
import { toolCommand } from '../harness/tool-command.ts';
import { isShort } from './bench-form.ts';
import { atShare, median, report } from './median.ts';

const smallPushes = isShort ? 40 : 200;
const history = isShort ? 200 : 5_000;
const rounds = isShort ? 1 : 5;
const files = 5;
const fileBytes = (isShort ? 2 : 20) * 2 ** 20;
const kinds = ['service', 'floor'] as const;
type Kind = (typeof kinds)[number];
const names = { service: 'Trunkline', floor: 'git http-backend' } as const;

let cluster: Cluster;
let admin: Client;
let sql: postgres.Sql;
let floor: Awaited<ReturnType<typeof startApp>>;
let directory: string;
let path: string;
let urls: Readonly<Record<Kind, (name: string) => string>>;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trunkline-push-bench-'));
  cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 1, workers: 1 });
  admin = createClient(cluster.baseUrl, cluster.adminKey);
  sql = postgres(cluster.databaseUrl, { max: 1, onnotice: () => {} });
  floor = await startApp({
    entry: fileURLToPath(new URL('baseline/http-backend.mjs', import.meta.url)),
    env: { ROOT: directory, GIT_COMMAND: JSON.stringify(toolCommand('TRUNKLINE_GIT_COMMAND', 'git')) },
  });
  const { port } = v.parse(v.object({ port: v.number() }), floor.ready);
  const { host } = new URL(cluster.baseUrl);
  urls = {
    service: (name) => `http://api-key:${admin.apiKey}@${host}/${name}`,
    floor: (name) => `http://127.0.0.1:${port}/${name}.git`,
  };
  path = join(directory, 'work');
  await git(directory, 'init', '-q', '-b', 'main', path);
  await git(path, 'config', 'gc.auto', '0');
}, 120_000);
afterAll(async () => {
  await sql.end();
  await floor.kill();
  await cluster.stop();
  await rm(directory, { recursive: true, force: true });
});

/** Makes an empty repository in the service and one for the floor. */
async function makeRepositories(name: string): Promise<void> {
  await admin.result('create_repo', { repo_name: name, repo_type: 'git' });
  const bare = join(directory, `${name}.git`);
  await git(directory, 'init', '-q', '--bare', '-b', 'main', bare);
  await git(bare, 'config', 'http.receivepack', 'true');
}

/** Makes a history of so many commits, each with a file of its own. */
async function plantHistory(): Promise<void> {
  const commits = Array.from({ length: history }, (_, at) => {
    const when = 1_700_000_000 + at;
    const head = `commit refs/heads/main\ncommitter Ann <ann@example.com> ${when} +0000\ndata 1\nx\n`;
    return `${head}M 100644 inline dir${at % 50}/file${at}\ndata 2\n${at % 10}\n\n`;
  });
  const stream = join(directory, 'stream');
  await writeFile(stream, commits.join(''));
  await git(path, '-c', 'alias.plant=!git fast-import --quiet <', 'plant', stream);
  await git(path, 'reset', '-q', '--hard');
}

async function push(kind: Kind, name: string, branch = 'main'): Promise<number> {
  const started = performance.now();
  await git(path, 'push', '-q', urls[kind](name), `HEAD:refs/heads/${branch}`);
  return performance.now() - started;
}

it(`pushes of one commit into a repository of ${history}`, async () => {
  await plantHistory();
  await makeRepositories('small');
  for (const kind of kinds) await push(kind, 'small');
  const walls: Record<Kind, number[]> = { service: [], floor: [] };
  const begun = new Date();
  for (let at = 0; at < smallPushes; at += 1) {
    await git(path, 'commit', '-q', '--allow-empty', '-m', `change ${at}`);
    for (const kind of kinds) walls[kind].push(await push(kind, 'small'));
  }
  // From the transaction that begins the operation to the one that ends it: others wait so long for the repository.
  const rows = await sql<{ ms: number }[]>`
    select (extract(epoch from finished_at - created_at) * 1000)::float8 as ms from operations
      where kind = 'push' and state = 'done' and created_at > ${begun}`;
  const held = rows.map(({ ms }) => ms);
  expect(held).toHaveLength(smallPushes);
  report('small pushes', {
    'held p50 ms': atShare(held, 0.5),
    'held p95 ms': atShare(held, 0.95),
    'Trunkline p50 ms': atShare(walls.service, 0.5),
    'git http-backend p50 ms': atShare(walls.floor, 0.5),
  });
}, 600_000);

async function cpuMs(kind: Kind): Promise<number> {
  const table = await readProcesses();
  const { gateways, workers, nats } = cluster;
  const service = [...gateways, ...workers, nats].map(({ pid }) => pid);
  const pids = kind === 'floor' ? [floor.pid] : service;
  return pids.reduce((sum, pid) => sum + cpuMsOf(table, pid), 0);
}

it(`pushes of ${(files * fileBytes) / 2 ** 20} MB in ${files} files`, async () => {
  await makeRepositories('large');
  const cpu: Record<Kind, number[]> = { service: [], floor: [] };
  const walls: Record<Kind, number[]> = { service: [], floor: [] };
  await git(path, 'checkout', '-q', '--orphan', 'large');
  await git(path, 'rm', '-q', '-r', '-f', '--cached', '--ignore-unmatch', '.');
  for (let round = 0; round < rounds; round += 1) {
    for (let file = 0; file < files; file += 1) await writeFile(join(path, `large${file}`), randomBytes(fileBytes));
    await git(path, 'add', ...Array.from({ length: files }, (_, file) => `large${file}`));
    await git(path, 'commit', '-q', '-m', `large ${round}`);
    for (const kind of round % 2 === 0 ? kinds : kinds.toReversed()) {
      const before = await cpuMs(kind);
      walls[kind].push(await push(kind, 'large'));
      cpu[kind].push((await cpuMs(kind)) - before);
    }
  }
  for (const kind of kinds) {
    report(`large pushes, ${names[kind]}`, { 'CPU ms': median(cpu[kind]), 'wall ms': median(walls[kind]) });
  }
  const ratios = (figures: Record<Kind, number[]>) => figures.service.map((one, at) => one / (figures.floor[at] ?? 1));
  report('large pushes, Trunkline / git http-backend', { CPU: median(ratios(cpu)), wall: median(ratios(walls)) });
}, 900_000);
