import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { it } from 'vitest';
import { post } from '../harness/client.ts';
import { makeRemote } from '../harness/remotes.ts';
import { admin, cluster, repositoryTypes, sql, uniqueName, type RepositoryType } from '../harness/shared-cluster.ts';
import { median, report, timeRuns } from './median.ts';

const files = Object.fromEntries(
  Array.from({ length: 5_000 }, (_, index) => [`dir${index % 50}/sub${index % 500}/file-${index}.txt`, `${index}`]),
);

/** Starts a Mercurial command server; `list` runs `hg files` in it and resolves when its whole output has arrived. */
async function startHgFiles(path: string): Promise<{ list(): Promise<void>; end(): void }> {
  const env = { PATH: process.env['PATH'], HGRCPATH: '', HGPLAIN: '1', HGENCODING: 'utf-8' };
  const child = spawn('hg', ['serve', '--cmdserver', 'pipe'], { env });
  await once(child.stdout, 'data');
  const args = Buffer.from(['-R', path, 'files', '-r', 'tip', '-0'].join('\0'));
  const head = Buffer.alloc(4);
  head.writeUInt32BE(args.length);
  return {
    list: () =>
      new Promise((resolve) => {
        let rest = Buffer.alloc(0);
        const take = (chunk: Buffer) => {
          rest = Buffer.concat([rest, chunk]);
          while (rest.length >= 5 && rest.length >= 5 + rest.readUInt32BE(1)) {
            if (rest[0] === 'r'.charCodeAt(0)) {
              child.stdout.off('data', take);
              return resolve();
            }
            rest = rest.subarray(5 + rest.readUInt32BE(1));
          }
        };
        child.stdout.on('data', take);
        child.stdin.write(Buffer.concat([Buffer.from('runcommand\n'), head, args]));
      }),
    end: () => child.kill(),
  };
}

async function floor(type: RepositoryType, path: string): Promise<number> {
  if (type === 'git') {
    const list = () =>
      promisify(execFile)('git', ['--git-dir', path, 'ls-tree', '-r', '-t', 'HEAD'], { maxBuffer: 1 << 28 });
    return median(await timeRuns(30, list));
  }
  const server = await startHgFiles(path);
  try {
    return median(await timeRuns(30, () => server.list()));
  } finally {
    server.end();
  }
}

it.each(repositoryTypes)(
  'get_repo_nodes of 5 000 files, %s',
  async (type) => {
    const remote = await makeRemote[type]();
    const name = uniqueName(type);
    try {
      await remote.commit(files);
      await admin.result('create_repo', { repo_name: name, repo_type: type, clone_uri: remote.url });
    } finally {
      await remote.close();
    }
    const [row] = await sql`select storage_path from repositories where name = ${name}`;
    const path = join(cluster.storageRoot, String(row?.['storage_path']));
    const args = { repoid: name, revision: 'tip', root_path: '/' };
    // The reply is not parsed: only the service is measured.
    const body = JSON.stringify({ id: 1, api_key: cluster.adminKey, method: 'get_repo_nodes', args });
    const ours = median(await timeRuns(30, () => post(cluster.baseUrl, body)));
    const bare = await floor(type, path);
    report(`get_repo_nodes ${type}, 5 000 files, ms`, { ours, bare, ratio: ours / bare });
  },
  120_000,
);

it('worker memory after 10 000 mixed calls', async () => {
  const names = await Promise.all(
    repositoryTypes.map(async (type) => {
      const name = uniqueName(type);
      await admin.result('create_repo', { repo_name: name, repo_type: type });
      return name;
    }),
  );
  const calls = [
    () => admin.call('test', { args: 1 }),
    () => admin.call('get_user'),
    () => admin.call('get_repos'),
    () => admin.call('get_repo', { repoid: names[0] }),
    () => admin.call('get_repo_nodes', { repoid: names[1], revision: 'tip', root_path: '/' }),
  ];
  for (let round = 0; round < 625; round += 1) {
    const chosen = Array.from({ length: 16 }, (_, index) => calls[index % calls.length]);
    await Promise.all(chosen.map(async (call) => call?.()));
  }
  const pids = (await promisify(execFile)('pgrep', ['-f', 'apps/vcs-worker/dist/main.js'])).stdout.trim().split('\n');
  for (const pid of pids) {
    const status = await readFile(`/proc/${pid}/status`, 'utf8');
    report(`worker ${pid}, memory, MB`, { resident: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024 });
  }
}, 300_000);
