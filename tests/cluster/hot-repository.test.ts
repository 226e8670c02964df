import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { eventually } from '../harness/eventually.ts';
import { makeGitRemote } from '../harness/remotes.ts';

let directory: string;
let cluster: Cluster;
let admin: Client;
let sql: postgres.Sql;

/** Returns a script for git whose `ls-tree` waits while the file `held` names the repository's directory. */
const slowGit = (real: string, held: string) => `#!/bin/sh
case " $* " in *" ls-tree "*)
  while [ -s ${held} ]; do
    case "$*" in *"$(cat ${held})"*) sleep 0.05;; *) break;; esac
  done;;
esac
exec ${real} "$@"
`;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trunkline-hot-'));
  await chmod(directory, 0o755);
  const tool = join(directory, 'git');
  const real = JSON.parse(process.env['TRUNKLINE_GIT_COMMAND'] ?? '["git"]').join(' ');
  await writeFile(tool, slowGit(real, join(directory, 'held')), { mode: 0o755 });
  cluster = await startCluster({
    postgresUrl: inject('postgresUrl'),
    gateways: 1,
    workers: 1,
    env: { TRUNKLINE_GIT_COMMAND: JSON.stringify([tool]) },
  });
  admin = createClient(cluster.baseUrl, cluster.adminKey);
  sql = postgres(cluster.databaseUrl, { max: 1, onnotice: () => {} });
});
afterAll(async () => {
  await sql.end();
  await cluster.kill();
  await rm(directory, { recursive: true, force: true });
});

async function slots(name: 'slots' | 'slots_busy'): Promise<number> {
  const text = await (await fetch(cluster.metricsUrls.at(-1) ?? '')).text();
  return Number(new RegExp(`^trunkline_lane_${name}\\{lane="storage"\\} (\\d+)$`, 'm').exec(text)?.[1]);
}

it('E6 a repository with more slow calls than there are slots does not delay other repositories', async () => {
  const size = await slots('slots');
  const directories = Array.from({ length: 3 * size }, (_, index) => `dir${index}`);
  const remote = await makeGitRemote();
  await remote.commit(Object.fromEntries(directories.map((name) => [`${name}/file`, name])));
  for (const name of ['hot', 'cold']) {
    await admin.result('create_repo', { repo_name: name, repo_type: 'git', clone_uri: remote.url });
  }
  await remote.close();
  const [hot] = await sql`select storage_path from repositories where name = 'hot'`;
  await writeFile(join(directory, 'held'), String(hot?.['storage_path']));

  const nodes = (repoid: string, root: string) =>
    admin.call('get_repo_nodes', { repoid, revision: 'tip', root_path: root });
  let answered = 0;
  const pending = directories.map(async (name) => {
    const reply = await nodes('hot', name);
    if (reply.error === null) answered += 1;
    return reply;
  });
  await eventually(
    () => slots('slots_busy'),
    (count) => count >= 2,
  );
  for (const name of directories.slice(0, 10)) expect((await nodes('cold', name)).error).toBeNull();
  expect(answered).toBe(0);

  await writeFile(join(directory, 'held'), '');
  for (const { error } of await Promise.all(pending)) {
    expect([null, 'Service is busy, try again later']).toContain(error);
  }
  await eventually(
    () => slots('slots_busy'),
    (count) => count === 0,
  );
  expect((await nodes('hot', '/')).error).toBeNull();
});
