import { randomUUID } from 'node:crypto';
import { readdir, readFile, writeFile, chmod } from 'node:fs/promises';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { eventually } from '../harness/eventually.ts';
import { makeRemote } from '../harness/remotes.ts';
import { trunklinectl } from '../harness/trunklinectl.ts';
import { someFile } from '../harness/unique-name.ts';
import { createWebClient } from '../harness/web-client.ts';

let cluster: Cluster;
let admin: Client;
let sql: postgres.Sql;
beforeAll(async () => {
  // Leases end soon, so that sweeps come often.
  const env = { TRUNKLINE_LEASE_SECONDS: '3' };
  cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 1, workers: 1, env });
  admin = createClient(cluster.baseUrl, cluster.adminKey);
  sql = postgres(cluster.databaseUrl, { max: 1 });
  for (const type of ['git', 'hg'] as const) {
    const remote = await makeRemote[type]();
    await remote.commit({ [someFile]: 'x'.repeat(5_000) });
    for (const name of [`${type}-whole`, `${type}-damaged`]) {
      await admin.result('create_repo', { repo_name: name, repo_type: type, clone_uri: remote.url });
    }
    await remote.close();
  }
});
afterAll(async () => {
  await sql.end();
  await cluster.stop();
});

/** Flips one bit in the middle of a file of a repository that has this ending. */
async function flipByte(name: string, below: string, ending: string): Promise<void> {
  const [row] = await sql<{ path: string }[]>`select storage_path as path from repositories where name = ${name}`;
  const directory = join(cluster.storageRoot, String(row?.path), below);
  const file = (await readdir(directory)).find((entry) => entry.endsWith(ending));
  const path = join(directory, String(file));
  const bytes = await readFile(path);
  const at = Math.floor(bytes.length / 2);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  await chmod(path, 0o644);
  await writeFile(path, bytes);
}

const verify = async (...words: string[]) => {
  const env = { TRUNKLINE_DATABASE_URL: cluster.database.workerUrl, TRUNKLINE_SECRET: cluster.secret };
  return trunklinectl(['--json', 'verify', ...words], { env });
};

it('reads repositories that were not read for long by itself, and those of which somebody asks that', async () => {
  // The next worker looks through all repositories when it begins to sweep.
  await sql`update repositories set created_at = now() - interval '40 days' where name like '%-whole'`;
  await cluster.workers[0]?.stop();
  await cluster.startWorker();
  const read = () => sql<{ name: string }[]>`select r.name from repository_verifications v
    join repositories r on r.id = v.repository_id where v.verified_at is not null and not v.damaged order by 1`;
  const rows = await eventually(read, ({ length }) => length === 2);
  expect(rows.map(({ name }) => name)).toEqual(['git-whole', 'hg-whole']);

  await admin.result('maintain_repo', { repoid: 'git-damaged' });
  await flipByte('git-damaged', 'objects/pack', '.pack');
  await flipByte('hg-damaged', '.hg/store/data', '.i');
  const ran = await verify('--all');
  expect(JSON.parse(ran.stdout)).toEqual({ repositories: 4, damaged: ['git-damaged', 'hg-damaged'], not_read: [] });
  expect(ran.exitCode).toBe(1);
});

it('names what is damaged, wherever operators look', async () => {
  const info = await admin.result<{ verification: unknown }>('get_server_info');
  expect(info.verification).toEqual({ damaged: 2, damaged_repositories: ['git-damaged', 'hg-damaged'] });
  const web = createWebClient(cluster.baseUrl);
  await web.signIn('admin', 'secret of the first administrator');
  expect((await web.get('/_admin/server')).text).toContain('<a href="/hg-damaged">hg-damaged</a>');
  const pageOf = async (name: string) => (await web.get(`/${name}/settings/maintenance`)).text;
  expect(await pageOf('git-damaged')).toContain('something is damaged or missing');
  expect(await pageOf('git-whole')).toContain('it is whole');
  const operations = await admin.result('list_operations', { limit: 1 });
  expect(operations).toMatchObject([{ kind: 'verify', state: 'done', user: null }]);
});

it('reads named repositories alone, and takes back what was damaged', async () => {
  await sql`update repository_verifications set damaged = true
    where repository_id = (select id from repositories where name = 'git-whole')`;
  const ran = await verify('git-whole', 'hg-whole');
  expect(JSON.parse(ran.stdout)).toEqual({ repositories: 2, damaged: [], not_read: [] });
  expect(ran.exitCode).toBe(0);
  // What seems to be damaged while something else runs on it may be whole.
  const other = randomUUID();
  await sql`update repository_verifications set damaged = false`;
  await sql`insert into operations (id, kind, repository_id, storage_id, epoch, request, state, worker, attempt, lease_until)
    select ${other}, 'pull', id, storage_id, epoch, '{"name":"hg-damaged"}', 'running', 'other', 1, now() + interval '1 hour'
    from repositories where name = 'hg-damaged'`;
  const disturbed = await verify('hg-damaged');
  expect(JSON.parse(disturbed.stdout)).toEqual({ repositories: 1, damaged: [], not_read: ['hg-damaged'] });
  expect(disturbed.exitCode).toBe(1);
  await sql`delete from operations where id = ${other}`;
  const verifiedAt = async () => {
    const [row] = await sql<{ at: Date | null }[]>`select v.verified_at as at from repository_verifications v
      join repositories r on r.id = v.repository_id where r.name = 'git-whole'`;
    return row?.at?.getTime() ?? 0;
  };
  const before = await verifiedAt();
  const asked = await admin.result('verify_repo', { repoid: 'git-whole' });
  expect(asked).toEqual({ msg: 'All of repository `git-whole` will be read', success: true });
  await eventually(verifiedAt, (at) => at > before);
  expect(await verify('git-whole', 'none')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('repository `none` does not exist'),
  });
  expect((await verify()).exitCode).toBe(2);
});
