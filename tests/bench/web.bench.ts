import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { get } from 'node:http';
import { join } from 'node:path';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { randomBytes } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import autocannon from 'autocannon';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { makeGitRemote, type Remote } from '../harness/remotes.ts';
import { toolCommand } from '../harness/tool-command.ts';
import { residentMb } from './load.ts';
import { median, report } from './median.ts';

const treeMb = 200;
/** Repositories with the same files, which connections read in turn, each from another one on. */
const repositories = Array.from({ length: 8 }, (_, index) => `small-${index}`);

let cluster: Cluster;
let admin: Client;
let remote: Remote;

beforeAll(async () => {
  cluster = await startCluster({
    postgresUrl: inject('postgresUrl'),
    gateways: 1,
    workers: 1,
    env: { TRUNKLINE_API_ACCESS_CONTROLLERS_WHITELIST: 'FilesController:raw,FilesController:archivefile' },
  });
  admin = createClient(cluster.baseUrl, cluster.adminKey);
  remote = await makeGitRemote();
  for (let number = 0; number < 20; number += 1) {
    await remote.commit(
      { 'small.txt': `${number}\n`.padEnd(10_240, 'x'), [`file-${number}`]: 'x' },
      `change ${number}`,
    );
  }
  for (const repo_name of repositories) {
    await admin.result('create_repo', { repo_name, repo_type: 'git', clone_uri: remote.url });
  }
}, 120_000);

afterAll(async () => {
  await remote.close();
  await cluster.stop();
});

async function loadOfView(path: string) {
  const requests = repositories.map((name) => ({ path: `/${name}${path}?api_key=${cluster.adminKey}` }));
  let bytes = 0;
  for (const request of requests) {
    const warm = await fetch(cluster.baseUrl + request.path);
    expect(warm.status).toBe(200);
    bytes = (await warm.arrayBuffer()).byteLength;
  }
  let clients = 0;
  const load = await autocannon({
    url: cluster.baseUrl,
    connections: 32,
    duration: 5,
    setupClient: (client) => {
      const first = (clients += 1) % requests.length;
      client.setRequests([...requests.slice(first), ...requests.slice(0, first)]);
    },
  });
  const { non2xx, errors, latency } = load;
  expect({ non2xx, errors }).toEqual({ non2xx: 0, errors: 0 });
  return { bytes, 'requests/s': load.requests.average, 'p50 ms': latency.p50, 'p99 ms': latency.p99 };
}

it.each([
  ['raw file of 10 KB', '/raw/tip/small.txt'],
  ['RSS feed', '/feed/rss'],
  ['Atom feed', '/feed/atom'],
])('%s', async (name, path) => report(name, await loadOfView(path)), 30_000);

/** Returns the peak resident memory of each process while the work runs, in mebibytes. */
async function peakMb(pids: readonly (number | undefined)[], work: () => Promise<void>): Promise<number[]> {
  const peaks = pids.map(() => 0);
  const look = setInterval(() => {
    pids.forEach((pid, at) => void residentMb(pid).then((mb) => (peaks[at] = Math.max(peaks[at] ?? 0, mb))));
  }, 50);
  await work();
  clearInterval(look);
  return peaks;
}

async function saveArchive(path: string, target: string, delayMs = 0): Promise<number> {
  const [response] = await once(get(`${cluster.baseUrl}${path}?api_key=${cluster.adminKey}`), 'response');
  let bytes = 0;
  const slowly = async function* (source: AsyncIterable<Buffer>) {
    for await (const chunk of source) {
      bytes += chunk.length;
      if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
      yield chunk;
    }
  };
  await pipeline(response, slowly, createWriteStream(target));
  return bytes;
}

async function saveWithGit(target: string): Promise<void> {
  const [file, ...prefix] = toolCommand('TRUNKLINE_GIT_COMMAND', 'git');
  const child = spawn(file, [...prefix, '-C', remote.directory, 'archive', '--prefix=x/', 'HEAD'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await pipeline(child.stdout, createWriteStream(target));
}

async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1_000;
}

it(`archive of ${treeMb} MB, against git archive into a file`, async () => {
  const chunk = () => randomBytes(1 << 19).toString('hex');
  const files = Object.fromEntries(Array.from({ length: treeMb }, (_, index) => [`large/${index}`, chunk()]));
  await remote.commit(files, 'large');
  await admin.result('create_repo', {
    repo_name: 'large',
    repo_type: 'git',
    clone_uri: remote.url,
    enable_downloads: true,
  });
  const target = join(cluster.storageRoot, '..', 'saved.tar');
  const pids = [cluster.gateways[0]?.pid, cluster.workers[0]?.pid];
  const ours: number[] = [];
  const gits: number[] = [];
  let bytes = 0;
  let peaks: number[] = [];
  for (let run = 0; run < 5; run += 1) {
    gits.push(await secondsOf(() => saveWithGit(target)));
    peaks = await peakMb(pids, async () => {
      ours.push(await secondsOf(async () => (bytes = await saveArchive('/large/archive/tip.tar', target))));
    });
  }
  const slow = await peakMb(pids, async () => void (await saveArchive('/large/archive/tip.tar', target, 2)));
  await rm(target);
  report('archive of a large tree', {
    MB: bytes / 1e6,
    'MB/s': bytes / 1e6 / median(ours),
    'git archive MB/s': bytes / 1e6 / median(gits),
    ratio: median(gits) / median(ours),
    'gateway MB': peaks[0] ?? 0,
    'worker MB': peaks[1] ?? 0,
    'gateway MB, slow client': slow[0] ?? 0,
    'worker MB, slow client': slow[1] ?? 0,
  });
}, 180_000);
