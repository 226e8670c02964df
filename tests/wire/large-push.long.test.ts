import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { eventually } from '../harness/eventually.ts';
import { git, hg } from '../harness/remotes.ts';
import { mainBranch, someFile } from '../harness/unique-name.ts';
import { beginHgPush } from './held-bundle.ts';
import { runGit, runHg } from './vcs-cluster.ts';

const bytesMax = 100_000;
const tooLarge = `the push is larger than ${bytesMax} bytes: push fewer changesets at a time, or ask an administrator to raise the limit`;
const told = expect.stringMatching(new RegExp(tooLarge, 'i')) as unknown;
/** More than all sockets on the way hold, and than a gateway discards of a push that it has refused. */
const content = randomBytes(20_000_000);

let cluster: Cluster;
let admin: Client;
let sql: postgres.Sql;
let directory: string;

beforeAll(async () => {
  const env = { TRUNKLINE_PUSH_BYTES_MAX: String(bytesMax) };
  cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 1, workers: 1, env });
  admin = createClient(cluster.baseUrl, cluster.adminKey);
  sql = postgres(cluster.databaseUrl, { max: 1, onnotice: () => {} });
  directory = await mkdtemp(join(tmpdir(), 'trunkline-large-'));
});
afterAll(async () => {
  await sql.end();
  await cluster.stop();
  await rm(directory, { recursive: true, force: true });
});

const urlOf = (name: string) => `http://admin:${admin.apiKey}@${new URL(cluster.baseUrl).host}/${name}`;

/** Returns what the audit log has of pushes into a repository. */
async function outcomes(name: string): Promise<unknown[]> {
  const rows = await sql`
    select outcome, error from audit_log where method = 'push' and args->>'repoid' = ${name} order by id`;
  return rows.map(({ outcome, error }) => [outcome, error]);
}

async function untilNothingStaged(): Promise<void> {
  const look = async () => (await readdir(join(cluster.storageRoot, '@staging'))).filter((name) => name !== '.probe');
  await eventually(look, (found) => found.length === 0, 60);
}

describe.concurrent('A4 D8 a push that is much too large is refused in words', { timeout: 240_000 }, () => {
  it('to git, whether it sends its push in chunks or says before how long it is', async () => {
    await admin.result('create_repo', { repo_name: 'large-git', repo_type: 'git' });
    const work = join(directory, 'git');
    await git(directory, 'init', '-q', '-b', mainBranch, work);
    await writeFile(join(work, someFile), content);
    await git(work, 'add', someFile);
    await git(work, 'commit', '-q', '-m', 'large');
    for (const buffered of [65_536, 2 * content.length]) {
      const pushed = await runGit(work, ['-c', `http.postBuffer=${buffered}`, 'push', urlOf('large-git'), mainBranch]);
      expect([buffered, pushed]).toEqual([buffered, { exitCode: 1, stdout: '', stderr: told }]);
    }
    // The second one is refused before a worker is asked.
    expect(await outcomes('large-git')).toEqual([['failed', tooLarge]]);
    await untilNothingStaged();
  });

  it('to Mercurial, which says before how long its push is, and to a client that does not', async () => {
    await admin.result('create_repo', { repo_name: 'large-hg', repo_type: 'hg' });
    const work = join(directory, 'hg');
    await hg(directory, 'init', work);
    await writeFile(join(work, someFile), content);
    await hg(work, 'commit', '-q', '-A', '-m', 'large', '-u', 'Ann');
    expect(await runHg(work, ['push', urlOf('large-hg')])).toMatchObject({ exitCode: 255, stderr: told });
    const { sent, answer } = beginHgPush({ baseUrl: cluster.baseUrl, name: 'large-hg', key: admin.apiKey });
    sent.end(Buffer.concat([Buffer.from('HG20'), randomBytes(2 * bytesMax)]));
    expect(await answer).toMatchObject({ status: 200, text: told });
    expect(await outcomes('large-hg')).toEqual([['failed', tooLarge]]);
    await untilNothingStaged();
  });
});
