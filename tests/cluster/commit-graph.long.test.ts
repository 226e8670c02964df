import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { commitsInGraph } from '../../apps/vcs-worker/src/vcs/testing/graph-files.ts';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { makeBareGitOnDisk } from '../harness/repositories-on-disk.ts';
import { eventually } from '../harness/eventually.ts';
import { git, makeGitRemote, type Remote } from '../harness/remotes.ts';
import { toolCommand } from '../harness/tool-command.ts';
import { someFile } from '../harness/unique-name.ts';

let directory: string;
let cluster: Cluster;
let admin: Client;
let sql: postgres.Sql;
let remote: Remote;

/** Path of a file; while the file exists, git cannot write commit-graphs. */
const broken = () => join(directory, 'broken');

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trunkline-graphs-'));
  const wrapper = join(directory, 'git');
  const words = toolCommand('TRUNKLINE_GIT_COMMAND', 'git').join(' ');
  const script = `#!/bin/sh\ncase "$*" in *' commit-graph '*) [ ! -e ${broken()} ] || exit 1 ;; esac\nexec ${words} "$@"\n`;
  await writeFile(wrapper, script, { mode: 0o755 });
  const env = { TRUNKLINE_GIT_COMMAND: JSON.stringify([wrapper]) };
  cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 1, workers: 1, env });
  admin = createClient(cluster.baseUrl, cluster.adminKey);
  sql = postgres(cluster.databaseUrl, { max: 1, onnotice: () => {} });
  remote = await makeGitRemote();
  await remote.commit({ [someFile]: '1' });
});
afterAll(async () => {
  await sql.end();
  await cluster.kill();
  await remote.close();
  await rm(directory, { recursive: true, force: true });
});

/** Verifies the commit-graph of a repository, and returns the number of its commits. */
async function inGraphOf(name: string): Promise<number> {
  const [row] = await sql<{ path: string }[]>`select storage_path as path from repositories where name = ${name}`;
  const path = join(cluster.storageRoot, row?.path ?? '');
  await git(path, 'commit-graph', 'verify');
  return commitsInGraph(path);
}

const importAs = (repo_name: string) =>
  admin.result('create_repo', { repo_name, repo_type: 'git', clone_uri: remote.url });
const changesetsOf = (repoid: string) => admin.result<unknown[]>('get_changesets', { repoid });

it('import, pull, fork and adoption leave a commit-graph of every commit', async () => {
  await importAs('imported');
  const before = (await changesetsOf('imported')).length;
  expect(await inGraphOf('imported')).toBe(before);
  await remote.commit({ [someFile]: 'next' });
  await admin.result('pull', { repoid: 'imported' });
  expect(await inGraphOf('imported')).toBe(before + 1);
  await admin.result('fork_repo', { repoid: 'imported', fork_name: 'fork' });
  expect(await inGraphOf('fork')).toBe(before + 1);
  await makeBareGitOnDisk(join(cluster.storageRoot, 'adopted'));
  expect(await admin.result('rescan_repos')).toMatchObject({ added: ['adopted'] });
  expect(await inGraphOf('adopted')).toBe(1);
  for (const name of ['imported', 'fork']) expect(await changesetsOf(name)).toHaveLength(before + 1);
});

it('C6 when no commit-graph can be written, the operations succeed and the log names the failure', async () => {
  await writeFile(broken(), '');
  await importAs('slow');
  const before = (await changesetsOf('slow')).length;
  await remote.commit({ [someFile]: 'one more' });
  await admin.result('pull', { repoid: 'slow' });
  await admin.result('fork_repo', { repoid: 'slow', fork_name: 'slow-fork' });
  await makeBareGitOnDisk(join(cluster.storageRoot, 'slow-adopted'));
  expect(await admin.result('rescan_repos')).toMatchObject({ added: ['slow-adopted'] });
  const counts = { slow: before + 1, 'slow-fork': before + 1, 'slow-adopted': 1 };
  for (const [name, count] of Object.entries(counts)) {
    expect([name, await inGraphOf(name), (await changesetsOf(name)).length]).toEqual([name, 0, count]);
  }
  const logged = (logs: string) => logs.split('\n').filter((line) => line.includes('history could not be indexed'));
  const lines = logged(
    await eventually(
      () => cluster.logs(),
      (logs) => logged(logs).length >= 4,
    ),
  );
  expect(lines).toHaveLength(4);
  for (const line of lines) expect(line).toMatch(/"repositoryId":\d+/);

  await rm(broken());
  await admin.result('pull', { repoid: 'slow' });
  expect(await inGraphOf('slow')).toBe(before + 1);
});
