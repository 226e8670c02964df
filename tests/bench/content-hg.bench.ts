import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { makeRemote, type Remote } from '../harness/remotes.ts';
import { toolCommand } from '../harness/tool-command.ts';
import { median, report } from './median.ts';

const runs = 30;

let cluster: Cluster;
let admin: Client;
let remote: Remote;

beforeAll(async () => {
  const env = {
    TRUNKLINE_API_ACCESS_CONTROLLERS_WHITELIST: 'FilesController:archivefile,ChangesetController:changeset_raw',
  };
  cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 1, workers: 1, env });
  admin = createClient(cluster.baseUrl, cluster.adminKey);
  remote = await makeRemote.hg();
  const files = Array.from({ length: 20 }, (_, index) => `dir-${index % 4}/file-${index}.txt`);
  await remote.commit(Object.fromEntries(files.map((file) => [file, `${file}\n`.repeat(500)])));
  await remote.commit(Object.fromEntries(files.slice(0, 5).map((file) => [file, `changed ${file}\n`.repeat(500)])));
  const own = { repo_type: 'hg', clone_uri: remote.url, enable_downloads: true };
  await admin.result('create_repo', { repo_name: 'small', ...own });
}, 120_000);

afterAll(async () => {
  await remote.close();
  await cluster.stop();
});

async function msOf(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

async function read(path: string): Promise<void> {
  const response = await fetch(`${cluster.baseUrl}${path}?api_key=${cluster.adminKey}`);
  expect(response.status).toBe(200);
  await response.arrayBuffer();
}

it.each([
  ['archive of a Mercurial repository', '/small/archive/tip.tar', ['archive', '--type=tar', '-']],
  ['difference in a Mercurial repository', '/small/changeset-diff/tip', ['export', '--git']],
])(
  '%s, against hg in a process of its own',
  async (name, path, args) => {
    const [file, ...prefix] = toolCommand('TRUNKLINE_HG_COMMAND', 'hg');
    const env = { PATH: process.env['PATH'], HGPLAIN: '1', HGRCPATH: '' };
    const runHg = () =>
      promisify(execFile)(file, [...prefix, '--repository', remote.directory, ...args], { env, encoding: 'buffer' });
    await read(path);
    const ours: number[] = [];
    const alone: number[] = [];
    for (let run = 0; run < runs; run += 1) {
      alone.push(await msOf(runHg));
      ours.push(await msOf(() => read(path)));
    }
    report(name, { ms: median(ours), 'hg ms': median(alone), ratio: median(ours) / median(alone) });
  },
  120_000,
);
