import { spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once, setMaxListeners } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startApp } from '@trunkline/local';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import * as v from 'valibot';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { cpuMsOf, descendants, proportionalMb, readProcesses } from '../harness/process-figures.ts';
import { git, hg } from '../harness/remotes.ts';
import { toolCommand } from '../harness/tool-command.ts';
import { openPack } from '../wire/open-pack.ts';
import { isShort } from './bench-form.ts';
import { ipCall, timeCalls } from './beside.ts';
import { atShare, median, report } from './median.ts';

const history = isShort ? 200 : 5_000;
const rounds = isShort ? 1 : 5;
const together = isShort ? 4 : 16;
const slowClients = isShort ? 8 : 200;
/** Fewer than a worker serves of one repository, and to one user. */
const slowPerRepository = 25;
const slowPerUser = 50;
const slowBytesPerSecond = 10 * 1024;
const kinds = ['service', 'floor'] as const;
type Kind = (typeof kinds)[number];
const systems = { git: 'git http-backend', hg: 'hgweb' } as const;
type System = keyof typeof systems;

let cluster: Cluster;
let admin: Client;
let backend: Awaited<ReturnType<typeof startApp>>;
let hgweb: ChildProcess;
let directory: string;
let urls: Readonly<Record<System, Readonly<Record<Kind, (name: string) => string>>>>;
let tip = '';

/** Makes a history of so many commits, each with a file of its own. */
async function plantHistory(): Promise<void> {
  const commits = Array.from({ length: history }, (_, at) => {
    const head = `commit refs/heads/main\ncommitter Ann <ann@example.com> ${1_700_000_000 + at} +0000\ndata 1\nx\n`;
    const lines = Array.from({ length: 40 }, (_line, line) =>
      createHash('sha512').update(`${at} ${line}`).digest('base64'),
    );
    const text = lines.join('\n');
    return `${head}M 100644 inline dir${at % 50}/file${at}\ndata ${text.length}\n${text}\n\n`;
  });
  const [stream, bare] = [join(directory, 'stream'), join(directory, 'cloned.git')];
  await writeFile(stream, commits.join(''));
  await git(directory, 'init', '-q', '--bare', '-b', 'main', bare);
  await git(bare, '-c', 'alias.plant=!git fast-import --quiet <', 'plant', stream);
  // As the service does after an import.
  await git(bare, 'repack', '-q', '-a', '-d');
  tip = (await git(bare, 'rev-parse', 'main')).trim();
  await hg(directory, '--config', 'extensions.convert=', 'convert', '-q', bare, join(directory, 'cloned-hg'));
}

async function startHgweb(): Promise<number> {
  const [file, ...prefix] = toolCommand('TRUNKLINE_HG_COMMAND', 'hg');
  const options = ['serve', '-a', '127.0.0.1', '-p', '0', '--print-url', '--config', 'server.zstdlevel=1'];
  hgweb = spawn(file, [...prefix, ...options], {
    cwd: join(directory, 'cloned-hg'),
    env: { PATH: process.env['PATH'], HOME: '/nonexistent', HGRCPATH: '', PYTHONUNBUFFERED: '1' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  if (!hgweb.stdout) throw new Error('hgweb has no output');
  const [line] = await once(createInterface({ input: hgweb.stdout }), 'line');
  return Number(new URL(String(line)).port);
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trunkline-wire-bench-'));
  await plantHistory();
  cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 1, workers: 1 });
  admin = createClient(cluster.baseUrl, cluster.adminKey);
  backend = await startApp({
    entry: fileURLToPath(new URL('baseline/http-backend.mjs', import.meta.url)),
    env: { ROOT: directory, GIT_COMMAND: JSON.stringify(toolCommand('TRUNKLINE_GIT_COMMAND', 'git')) },
  });
  const { port } = v.parse(v.object({ port: v.number() }), backend.ready);
  const hgPort = await startHgweb();
  const service = (name: string) => `http://api-key:${admin.apiKey}@${new URL(cluster.baseUrl).host}/${name}`;
  urls = {
    git: { service, floor: () => `http://127.0.0.1:${port}/cloned.git` },
    hg: { service, floor: () => `http://127.0.0.1:${hgPort}/` },
  };
}, 900_000);
afterAll(async () => {
  hgweb?.kill('SIGKILL');
  await backend?.kill();
  await cluster?.stop();
  await rm(directory, { recursive: true, force: true });
});

let made = 0;
/** Makes a repository that nobody has asked for yet. */
async function makeRepository(system: System): Promise<string> {
  made += 1;
  const name = `${system}-${made}`;
  await admin.result('create_repo', { repo_name: name, repo_type: system, clone_uri: urls[system].floor('') });
  return name;
}

async function cpuMs(kind: Kind, system: System): Promise<number> {
  const table = await readProcesses();
  const { gateways, workers, nats } = cluster;
  const service = [...gateways, ...workers, nats].map(({ pid }) => pid);
  const floor = system === 'git' ? backend.pid : (hgweb.pid ?? 0);
  return (kind === 'floor' ? [floor] : service).reduce((sum, pid) => sum + cpuMsOf(table, pid), 0);
}

let clones = 0;
async function clone(system: System, url: string): Promise<void> {
  clones += 1;
  const path = join(directory, `clone-${clones}`);
  if (system === 'git') await git(directory, 'clone', '-q', '--bare', url, path);
  else await hg(directory, 'clone', '-q', '--noupdate', url, path);
  await rm(path, { recursive: true, force: true });
}

interface Figures {
  readonly cpu: number;
  readonly wall: number;
}

async function measure(kind: Kind, system: System, name: string, count: number): Promise<Figures> {
  const before = await cpuMs(kind, system);
  const started = performance.now();
  await Promise.all(Array.from({ length: count }, () => clone(system, urls[system][kind](name))));
  const wall = performance.now() - started;
  return { cpu: (await cpuMs(kind, system)) - before, wall };
}

function reportAgainst(what: string, system: System, service: readonly Figures[], floor: readonly Figures[]): void {
  const of = (figures: readonly Figures[], figure: keyof Figures) => median(figures.map((one) => one[figure]));
  const ratio = (figure: keyof Figures) =>
    median(service.map((one, round) => one[figure] / (floor[round]?.[figure] ?? 1)));
  report(`${what}, Trunkline`, { 'CPU ms': of(service, 'cpu'), 'wall ms': of(service, 'wall') });
  report(`${what}, ${systems[system]}`, { 'CPU ms': of(floor, 'cpu'), 'wall ms': of(floor, 'wall') });
  report(`${what}, Trunkline / ${systems[system]}`, { CPU: ratio('cpu'), wall: ratio('wall') });
}

it.each(Object.keys(systems) as System[])(
  `${history} commits: one clone by %s, cold and warm, and ${together} at once`,
  async (system) => {
    const cold: Figures[] = [];
    const warm: Figures[] = [];
    const alone: Figures[] = [];
    const all: Figures[] = [];
    const allAlone: Figures[] = [];
    // What a worker and the servers do once is not counted.
    const first = await makeRepository(system);
    for (const kind of kinds) await measure(kind, system, first, 1);
    for (let round = 0; round < rounds; round += 1) {
      const name = await makeRepository(system);
      alone.push(await measure('floor', system, name, 1));
      cold.push(await measure('service', system, name, 1));
      await clone(system, urls[system].service(name));
      warm.push(await measure('service', system, name, 1));
      const fresh = await makeRepository(system);
      allAlone.push(await measure('floor', system, fresh, together));
      all.push(await measure('service', system, fresh, together));
    }
    reportAgainst(`one clone by ${system}, cold`, system, cold, alone);
    reportAgainst(`one clone by ${system}, warm`, system, warm, alone);
    reportAgainst(`${together} clones at once by ${system}`, system, all, allAlone);
  },
  900_000,
);

async function open(name: string, key = admin.apiKey): Promise<IncomingMessage> {
  const response = await openPack(`${cluster.baseUrl}/${name}`, key, tip);
  expect(response.statusCode).toBe(200);
  return response;
}

/** Reads a pack, not faster than so many bytes a second; returns the bytes until the signal ends the reading. */
async function readPack(response: IncomingMessage, bytesPerSecond: number, signal: AbortSignal): Promise<number> {
  const started = performance.now();
  let bytes = 0;
  signal.addEventListener('abort', () => response.destroy(), { once: true });
  try {
    for await (const piece of response) {
      bytes += (piece as Buffer).length;
      const aheadMs = (bytes / bytesPerSecond) * 1_000 - (performance.now() - started);
      if (aheadMs > 5) await wait(aheadMs, undefined, { signal });
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return bytes;
}

it('get_ip beside clones at full rate', async () => {
  const name = await makeRepository('git');
  const call = ipCall(admin);
  await timeCalls(call);
  const alone: number[] = [];
  const beside: number[] = [];
  const bytes: number[] = [];
  const seconds: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    alone.push(...(await timeCalls(call, 300)));
    const stop = new AbortController();
    setMaxListeners(0, stop.signal);
    const started = performance.now();
    const reading = Array.from({ length: 2 }, async () => {
      while (!stop.signal.aborted) bytes.push(await readPack(await open(name), 45 * 2 ** 20, stop.signal));
    });
    await wait(200);
    beside.push(...(await timeCalls(call, 300)));
    stop.abort();
    seconds.push((performance.now() - started) / 1_000);
    await Promise.all(reading);
  }
  const sum = (figures: readonly number[]) => figures.reduce((one, other) => one + other, 0);
  const [p50, p50Beside] = [atShare(alone, 0.5), atShare(beside, 0.5)];
  report('get_ip beside clones', {
    'p50 alone ms': p50,
    'p50 beside ms': p50Beside,
    ratio: p50Beside / p50,
    'p99 beside ms': atShare(beside, 0.99),
    'MB/s': sum(bytes) / 2 ** 20 / sum(seconds),
  });
}, 600_000);

it(`${slowClients} clients that read 10 KB/s`, async () => {
  const second = await cluster.startWorker();
  const pids = () => [...cluster.gateways, ...cluster.workers, second].map(({ pid }) => pid);
  const names: string[] = [];
  const keys: string[] = [];
  for (let at = 0; at * slowPerRepository < slowClients; at += 1) names.push(await makeRepository('git'));
  for (let at = 0; at * slowPerUser < slowClients; at += 1) {
    const username = `slow-${at}`;
    await admin.result('create_user', { username, email: `${username}@example.com` });
    keys.push((await admin.result<{ api_key: string }>('get_user', { userid: username })).api_key);
  }
  for (const name of names) await clone('git', urls.git.service(name));
  const before = await proportionalMb(pids());
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  const clients: Promise<number>[] = [];
  // One after the other: what so many at once get is measured elsewhere.
  while (clients.length < slowClients) {
    const response = await open(
      names[Math.floor(clients.length / slowPerRepository)] ?? '',
      keys[clients.length % keys.length],
    );
    clients.push(readPack(response, slowBytesPerSecond, stop.signal));
  }
  await wait(isShort ? 3_000 : 20_000);
  const after = await proportionalMb(pids());
  const table = await readProcesses();
  const processes = [...cluster.workers, second].flatMap(({ pid }) => descendants(table, pid)).length;
  stop.abort();
  const bytes = await Promise.all(clients);
  expect(bytes.filter((one) => one === 0)).toEqual([]);
  await second.kill();
  report(`${slowClients} clients that read 10 KB/s`, { 'MB before': before, 'MB more': after - before, processes });
}, 600_000);
