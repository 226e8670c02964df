import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServedName } from '@trunkline/contracts';
import postgres, { type Sql } from 'postgres';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { askingViews } from '../harness/ask-view.ts';
import { createClient, post, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { makeGitRemote, type Remote } from '../harness/remotes.ts';
import { mainBranch, someFile } from '../harness/unique-name.ts';

const cacheBytes = 128 * 1_024;

const docFile = `docs/${someFile}`;

let cluster: Cluster;
let admin: Client;
let remote: Remote;
let directory: string;
let sql: Sql;
let views: Awaited<ReturnType<typeof askingViews>>;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trunkline-replies-'));
  await chmod(directory, 0o755);
  // A git that records each of its commands.
  const tool = join(directory, 'git');
  const real = JSON.parse(process.env['TRUNKLINE_GIT_COMMAND'] ?? '["git"]').join(' ');
  await writeFile(tool, `#!/bin/sh\necho " $* " >> ${directory}/started\nexec ${real} "$@"\n`, { mode: 0o755 });
  await writeFile(join(directory, 'started'), '', { mode: 0o666 });
  await chmod(join(directory, 'started'), 0o666);
  cluster = await startCluster({
    postgresUrl: inject('postgresUrl'),
    gateways: 1,
    workers: 1,
    env: {
      TRUNKLINE_GIT_COMMAND: JSON.stringify([tool]),
      TRUNKLINE_CACHE_BYTES: String(cacheBytes),
      TRUNKLINE_NODE_CACHE_BYTES: '1',
    },
  });
  admin = createClient(cluster.baseUrl, cluster.adminKey);
  sql = postgres(cluster.databaseUrl, { max: 1, onnotice: () => {} });
  views = await askingViews(cluster);
  remote = await makeGitRemote();
  await remote.commit({ [docFile]: '1' });
  await admin.result('create_repo', { repo_name: 'lib', repo_type: 'git', clone_uri: remote.url });
});
afterAll(async () => {
  await views.close();
  await sql.end();
  await cluster.stop();
  await remote.close();
  await rm(directory, { recursive: true, force: true });
});

async function started(command: string): Promise<number> {
  return (await readFile(join(directory, 'started'), 'utf8')).split(` ${command} `).length - 1;
}

async function metric(pattern: string): Promise<number> {
  const text = await (await fetch(cluster.metricsUrls[1] ?? '')).text();
  return Number(new RegExp(`^${pattern} (\\d+)$`, 'm').exec(text)?.[1]);
}

/** Returns how often replies were kept, and how often they were made. */
async function figures() {
  const count = (outcome: string) => metric(`trunkline_cache_requests_total\\{cache="replies",outcome="${outcome}"\\}`);
  return { hits: await count('hit'), misses: await count('miss') };
}

/** Makes a call until it does not share the reply of an earlier one; returns whether it was answered by a kept reply. */
async function isAnsweredByKept(call: () => Promise<unknown>): Promise<boolean> {
  for (;;) {
    const before = await figures();
    await call();
    const after = await figures();
    if (after.hits > before.hits || after.misses > before.misses) return after.misses === before.misses;
  }
}

describe('get_repo_nodes', () => {
  const args = { repoid: 'lib', revision: 'tip', root_path: '/' };

  it('E7 many identical calls list the files once', async () => {
    const expected = [
      { name: 'docs', type: 'dir' },
      { name: docFile, type: 'file' },
    ];
    const calls = Array.from({ length: 300 }, () => admin.result('get_repo_nodes', args));
    for (const nodes of await Promise.all(calls)) expect(nodes).toEqual(expected);
    expect(await started('ls-tree')).toBe(1);
    expect(await figures()).toMatchObject({ misses: 1 });
  });

  it('lists the files again after the bytes changed', async () => {
    const before = await started('ls-tree');
    await remote.commit({ [someFile]: '1' });
    await admin.result('pull', { repoid: 'lib' });
    expect(await admin.result('get_repo_nodes', { ...args, ret_type: 'files' })).toEqual([
      { name: someFile, type: 'file' },
      { name: docFile, type: 'file' },
    ]);
    await admin.result('invalidate_cache', { repoid: 'lib' });
    for (const root_path of ['', '/', '//']) await admin.result('get_repo_nodes', { ...args, root_path });
    expect(await started('ls-tree')).toBe(before + 2);
  });

  it('a branch is resolved without a command of its own', async () => {
    await admin.result('invalidate_cache', { repoid: 'lib' });
    const before = { showRef: await started('show-ref'), revList: await started('rev-list') };
    expect(await admin.result('get_repo_nodes', { ...args, revision: mainBranch, ret_type: 'dirs' })).toEqual([
      { name: 'docs', type: 'dir' },
    ]);
    expect({ showRef: await started('show-ref'), revList: await started('rev-list') }).toEqual(before);
  });
});

describe('kept replies', () => {
  const repoid = 'lib';

  it('answer again with the same bytes', async () => {
    const tip = await admin.result<{ raw_id: string }>('get_changeset', { repoid, revision: 'tip' });
    const asked: Record<string, object> = {
      get_changeset: { revision: mainBranch, with_file_list: true },
      get_changesets: { limit: 5 },
      get_repo_nodes: { revision: tip.raw_id, root_path: '' },
      get_repo_refs: {},
    };
    for (const [method, others] of Object.entries(asked)) {
      const body = JSON.stringify({ id: 1, api_key: cluster.adminKey, method, args: { repoid, ...others } });
      const first = await post(cluster.baseUrl, body);
      expect(first.text).toContain('"error":null');
      const again = async () => expect((await post(cluster.baseUrl, body)).text).toBe(first.text);
      expect(await isAnsweredByKept(again), method).toBe(true);
    }
    const viewed = {
      list_refs: { repoid },
      refs_of: { repoid, raw_ids: [tip.raw_id] },
      view_path: { repoid, revision: 'tip', path: docFile },
    } as const satisfies Partial<Record<ServedName, object>>;
    for (const view of ['list_refs', 'refs_of', 'view_path'] as const) {
      const first = await views.ask('admin', view, viewed[view]);
      const again = async () => expect(await views.ask('admin', view, viewed[view])).toBe(first);
      expect(await isAnsweredByKept(again), view).toBe(true);
    }
  });

  it('a kept reply is for nobody whose right was revoked, and an error is never kept', async () => {
    await admin.result('create_user', { username: 'ann', email: 'ann@example.com' });
    const { api_key } = await admin.result<{ api_key: string }>('get_user', { userid: 'ann' });
    const ann = createClient(cluster.baseUrl, api_key);
    await admin.result('update_repo', { repoid, private: true });
    const missing = 'repository `lib` does not exist';
    const grant = { repoid, userid: 'ann', perm: 'repository.read' };
    expect(await ann.error('get_repo_refs', { repoid })).toBe(missing);
    for (let round = 0; round < 3; round += 1) {
      await admin.result('grant_user_permission', grant);
      const before = await figures();
      expect(await ann.result('get_repo_refs', { repoid })).toEqual(await admin.result('get_repo_refs', { repoid }));
      expect((await figures()).misses - before.misses).toBeLessThanOrEqual(round === 0 ? 1 : 0);
      await admin.result('revoke_user_permission', { repoid, userid: 'ann' });
      expect(await ann.error('get_repo_refs', { repoid })).toBe(missing);
    }
    for (let round = 0; round < 2; round += 1) {
      expect(await admin.error('get_changeset', { repoid, revision: 'none' })).toBe('Changeset `none` does not exist');
    }
  });

  it('a reply is kept only when no byte can have changed while it was made', async () => {
    let limit = 1_000;
    /** Asks twice for what nobody has asked for before; returns whether the second call was answered by a kept reply. */
    const keeps = async () => {
      limit += 1;
      const call = () => admin.result('get_changesets', { repoid, limit });
      await call();
      return isAnsweredByKept(call);
    };
    const running = async (kind: string, request: Record<string, boolean>) => {
      const id = randomUUID();
      await sql`insert into operations (id, kind, repository_id, storage_id, exclusive, request, state, worker, attempt, lease_until)
        select ${id}, ${kind}, id, storage_id, ${kind !== 'maintain'}, ${sql.json({ name: repoid, ...request })}, 'running',
          'another', 1, now() + interval '1 h' from repositories where name = ${repoid}`;
      const kept = await keeps();
      await sql`delete from operations where id = ${id}`;
      return kept;
    };
    expect(await keeps()).toBe(true);
    expect(await running('pull', { touched: false })).toBe(true);
    expect(await running('pull', { touched: true })).toBe(false);
    expect(await running('push', { touched: true })).toBe(false);
    expect(await running('default_branch', {})).toBe(false);
    expect(await running('maintain', {})).toBe(true);
    await sql`update repositories set needs_recovery = true where name = ${repoid}`;
    expect(await keeps()).toBe(false);
    await sql`update repositories set needs_recovery = false where name = ${repoid}`;
    expect(await keeps()).toBe(true);
    await sql`update repositories set removed_at_generation = generation where name = ${repoid}`;
    expect(await keeps()).toBe(false);
    await sql`update repositories set generation = generation + 1 where name = ${repoid}`;
    expect(await keeps()).toBe(true);
  });

  it('E6 one repository has a quarter of their memory', async () => {
    for (let index = 0; index < 40; index += 1) {
      await admin.result('get_changesets', { repoid, limit: 2_000 + index });
    }
    const bytes = await metric('trunkline_cache_bytes\\{cache="replies"\\}');
    expect(bytes).toBeLessThanOrEqual(cacheBytes / 4);
    expect(bytes).toBeGreaterThan(cacheBytes / 8);
  });
});
