import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { makeGitRemote, type Remote } from '../harness/remotes.ts';

let cluster: Cluster;
let admin: Client;
let remote: Remote;
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trunkline-listings-'));
  await chmod(directory, 0o755);
  // A git that records each listing of files.
  const tool = join(directory, 'git');
  const real = JSON.parse(process.env['TRUNKLINE_GIT_COMMAND'] ?? '["git"]').join(' ');
  const note = `case " $* " in *" ls-tree "*) echo listed >> ${directory}/listings;; esac`;
  await writeFile(tool, `#!/bin/sh\n${note}\nexec ${real} "$@"\n`, { mode: 0o755 });
  await writeFile(join(directory, 'listings'), '');
  cluster = await startCluster({
    postgresUrl: inject('postgresUrl'),
    gateways: 1,
    workers: 1,
    env: { TRUNKLINE_GIT_COMMAND: JSON.stringify([tool]) },
  });
  admin = createClient(cluster.baseUrl, cluster.adminKey);
  remote = await makeGitRemote();
  await remote.commit({ 'docs/a.txt': '1' });
  await admin.result('create_repo', { repo_name: 'lib', repo_type: 'git', clone_uri: remote.url });
});
afterAll(async () => {
  await cluster.stop();
  await remote.close();
  await rm(directory, { recursive: true, force: true });
});

const listings = async () => (await readFile(join(directory, 'listings'), 'utf8')).split('\n').length - 1;

describe('get_repo_nodes', () => {
  const args = { repoid: 'lib', revision: 'tip', root_path: '/' };

  it('E7 a thousand identical calls list the files once', async () => {
    const expected = [
      { name: 'docs', type: 'dir' },
      { name: 'docs/a.txt', type: 'file' },
    ];
    const calls = Array.from({ length: 1_000 }, () => admin.result('get_repo_nodes', args));
    for (const nodes of await Promise.all(calls)) expect(nodes).toEqual(expected);
    expect(await listings()).toBe(1);
  });

  it('lists the files again after the bytes changed', async () => {
    const before = await listings();
    await remote.commit({ 'b.txt': '1' });
    await admin.result('pull', { repoid: 'lib' });
    expect(await admin.result('get_repo_nodes', { ...args, ret_type: 'files' })).toEqual([
      { name: 'b.txt', type: 'file' },
      { name: 'docs/a.txt', type: 'file' },
    ]);
    await admin.result('invalidate_cache', { repoid: 'lib' });
    for (const root_path of ['', '/', '//']) await admin.result('get_repo_nodes', { ...args, root_path });
    expect(await listings()).toBe(before + 2);
  });
});
