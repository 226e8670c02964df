import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';

let cluster: Cluster;
let admin: Client;
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trunkline-tools-'));
  await chmod(directory, 0o755);
  // A tool that leaves a file at each start, and fails.
  const tool = join(directory, 'tool');
  await writeFile(tool, `#!/bin/sh\ntouch ${directory}/started-$$\nexit 1\n`, { mode: 0o755 });
  const command = JSON.stringify([tool]);
  cluster = await startCluster({
    postgresUrl: inject('postgresUrl'),
    gateways: 1,
    workers: 1,
    env: { TRUNKLINE_GIT_COMMAND: command, TRUNKLINE_HG_COMMAND: command },
  });
  admin = createClient(cluster.baseUrl, cluster.adminKey);
});
afterAll(async () => {
  await cluster.stop();
  await rm(directory, { recursive: true, force: true });
});

const started = async () => (await readdir(directory)).filter((name) => name.startsWith('started-'));

describe('reads of metadata', () => {
  it('start no version control process', async () => {
    expect(await admin.result('get_repos')).toEqual([]);
    expect(await admin.result('get_repo', { repoid: 'x' })).toBeNull();
    expect(await admin.result('get_user')).toMatchObject({ username: 'admin' });
    expect(await started()).toEqual([]);
    // The tool is effective: a method that needs hg starts it, and fails without leaving a repository.
    expect(await admin.error('create_repo', { repo_name: 'x', repo_type: 'hg' })).toBe(
      'failed to create repository `x`',
    );
    expect(await started()).not.toEqual([]);
    expect(await admin.result('get_repos')).toEqual([]);
  });
});
