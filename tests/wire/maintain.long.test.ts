import { randomBytes } from 'node:crypto';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { measureSize } from '../../apps/vcs-worker/src/storage/measure-size.ts';
import { eventually } from '../harness/eventually.ts';
import { byForm } from '../harness/long-form.ts';
import { git as local } from '../harness/remotes.ts';
import { mainBranch, mainReference, someFile } from '../harness/unique-name.ts';
import { createWebClient, type WebClient } from '../harness/web-client.ts';
import { waysTo } from './ways-to-secret.ts';
import { holdPush } from './held-push.ts';
import { git, useVcsCluster } from './vcs-cluster.ts';

const vcs = useVcsCluster();
const storage = 'second';
const pushes = byForm(12, 30);
/** More than what a held clone gets. */
const random = randomBytes(600_000).toString('base64');
let sql: postgres.Sql;
let work = '';
let count = 0;

beforeAll(async () => {
  const { cluster, directory } = vcs();
  sql = postgres(cluster.databaseUrl, { max: 2, onnotice: () => {} });
  work = join(directory, 'maintained');
  await local(directory, 'init', '-q', '-b', mainBranch, work);
});
afterAll(async () => {
  await rm(vcs().holdRepack, { force: true });
  await sql.end();
});

async function commit(files: Readonly<Record<string, string>>): Promise<string> {
  for (const [name, content] of Object.entries(files)) await writeFile(join(work, name), content);
  await local(work, 'add', '-A');
  await local(work, 'commit', '-q', '-m', Object.keys(files).join(' '));
  return (await local(work, 'rev-parse', 'HEAD')).trim();
}

const urlOf = (name: string, gateway = 0) => vcs().url(name, `admin:${vcs().admin.apiKey}`, gateway);
const push = (name: string, ...refs: string[]) => git(work, 'push', '-q', urlOf(name), ...refs);

/** Makes a git repository with these references; returns its name. */
async function make(...refs: string[]): Promise<string> {
  count += 1;
  const name = `maintained-${count}`;
  await vcs().admin.result('create_repo', { repo_name: name, repo_type: 'git', storage });
  if (refs.length > 0) await push(name, ...refs);
  return name;
}

async function pathOf(name: string): Promise<string> {
  const [row] = await sql<{ path: string }[]>`select storage_path as path from repositories where name = ${name}`;
  return join(vcs().cluster.storageRoots[storage] ?? '', String(row?.path));
}

function freshPath(): string {
  count += 1;
  return join(vcs().directory, `clone-${count}`);
}

async function clone(name: string): Promise<string> {
  const path = freshPath();
  await git(vcs().directory, 'clone', '-q', urlOf(name, 1), path);
  await local(path, 'fsck', '--strict', '--full');
  return path;
}

async function packsOf(name: string): Promise<number> {
  const files = await readdir(join(await pathOf(name), 'objects/pack'));
  return files.filter((file) => file.endsWith('.pack')).length;
}

const maintain = (name: string, args: Readonly<Record<string, unknown>> = {}) =>
  vcs().admin.result<{ msg: string; task: string | null }>('maintain_repo', { repoid: name, ...args });

interface Operation {
  readonly operation_id: string;
  readonly kind: string;
  readonly state: string;
  readonly repo_name: string;
}

/** Waits for the end of what a call has begun; returns its state. */
async function ended({ task }: { task: string | null }): Promise<string> {
  if (task === null) return 'done';
  const look = () => vcs().admin.result<Operation>('wait_operation', { operation_id: task, timeout: 5 });
  return (await eventually(look, ({ state }) => state !== 'running', 60)).state;
}

const staged = async () => {
  const entries = await readdir(join(vcs().cluster.storageRoots[storage] ?? '', '@staging'));
  return entries.filter((entry) => entry !== '.probe');
};
const untilNothingStaged = () => eventually(staged, (found) => found.length === 0, 60);

/** Begins a maintenance whose repack does not begin until the returned function is called. */
async function held(name: string) {
  await writeFile(vcs().holdRepack, '');
  // What fails while the call waits is its error.
  const answer = vcs().admin.call('maintain_repo', { repoid: name });
  const links = async () => {
    const entries = await readdir(join(vcs().cluster.storageRoots[storage] ?? '', '@staging'), { recursive: true });
    return entries.filter((entry) => entry.endsWith('/1/repository/packed-refs'));
  };
  await eventually(links, (found) => found.length > 0, 60);
  return async () => {
    await rm(vcs().holdRepack);
    const { error, result } = await answer;
    return error === null ? ended(result as { task: string | null }) : 'failed';
  };
}

it('many pushes are packed into few files, beside clones and pushes, and nothing else changes', async () => {
  const name = await make();
  const ids = [await commit({ random })];
  for (let at = 1; at < pushes; at += 1) ids.push(await commit({ [someFile]: String(at) }));
  for (let at = 0; at < pushes; at += 3) {
    await Promise.all(ids.slice(at, at + 3).map((id, beside) => push(name, `${id}:refs/heads/b${at + beside}`)));
  }
  expect(await packsOf(name)).toBeGreaterThan(pushes / 2);
  const refs = await local(await pathOf(name), 'for-each-ref');
  await writeFile(vcs().hold, '');
  const begun = clone(name);
  const parts = join(vcs().directory, `clone-${count}`, '.git/objects/pack');
  const arrived = async () => (await readdir(parts).catch(() => [])).filter((file) => file.startsWith('tmp_pack'));
  await eventually(arrived, (found) => found.length > 0, 60);
  const last = await commit({ [someFile]: 'last' });
  const [maintained] = await Promise.all([maintain(name), push(name, `${last}:refs/heads/last`)]);
  expect(await ended(maintained)).toBe('done');
  await rm(vcs().hold);
  const cloned = await begun;
  expect((await local(cloned, 'rev-parse', `origin/b${pushes - 1}`)).trim()).toBe(ids.at(-1));
  const path = await pathOf(name);
  expect(await packsOf(name)).toBeLessThan(5);
  expect(await readdir(join(path, 'objects/pack'))).toContain('multi-pack-index');
  await local(path, 'fsck', '--strict', '--full');
  expect((await local(path, 'for-each-ref')).split('\n').filter((line) => !line.endsWith('/last'))).toEqual(
    refs.split('\n'),
  );
  const again = await clone(name);
  expect((await local(again, 'rev-parse', 'origin/last')).trim()).toBe(last);

  const row = async () =>
    (await sql`select generation, size_bytes, last_changeset from repositories where name = ${name}`)[0];
  const before = await row();
  const repeated = await maintain(name);
  expect([repeated.msg, await ended(repeated)]).toEqual([`Maintained repository \`${name}\``, 'done']);
  const after = await row();
  expect([after?.['generation'], after?.['last_changeset']]).toEqual([
    before?.['generation'],
    before?.['last_changeset'],
  ]);
  expect(Number(after?.['size_bytes'])).toBe(await measureSize(path));
  await untilNothingStaged();
}, 180_000);

describe('beside a maintenance that runs', () => {
  it('a push, a fork and a clone begin and end, and it goes on', async () => {
    const first = await commit({ [someFile]: 'beside' });
    const name = await make(`${first}:${mainReference}`);
    const release = await held(name);
    const second = await commit({ [someFile]: 'beside, too' });
    await push(name, `${second}:${mainReference}`);
    const fork = { repoid: name, fork_name: `${name}-fork` };
    expect(await ended(await vcs().admin.result<{ task: string | null }>('fork_repo', fork))).toBe('done');
    expect((await local(await clone(name), 'rev-parse', 'HEAD')).trim()).toBe(second);
    const running = await vcs().admin.result<Operation[]>('list_operations', { state: 'running' });
    expect(running.map(({ kind, repo_name: of }) => [kind, of])).toEqual([['maintain', name]]);
    expect(await release()).toBe('done');
    for (const of of [name, `${name}-fork`]) {
      await local(await pathOf(of), 'fsck', '--strict', '--full');
      expect((await local(await clone(of), 'rev-parse', 'HEAD')).trim()).toBe(second);
    }
  }, 120_000);

  it('a move and a deletion begin and end, and it is given up', async () => {
    const name = await make(`${await commit({ [someFile]: 'moved' })}:${mainReference}`);
    const release = await held(name);
    const moved = await vcs().admin.result<{ task: string | null }>('move_repo', { repoid: name, storage: 'default' });
    expect(await ended(moved)).toBe('done');
    expect(await release()).toBe('failed');
    const deleted = await make(`${await commit({ [someFile]: 'deleted' })}:${mainReference}`);
    const releaseDeleted = await held(deleted);
    await vcs().admin.result('delete_repo', { repoid: deleted });
    expect(await releaseDeleted()).toBe('failed');
    expect((await local(await clone(name), 'show', `HEAD:${someFile}`)).trim()).toBe('moved');
    await untilNothingStaged();
  }, 120_000);

  it('a request to cancel it ends it, and leaves nothing', async () => {
    const name = await make(`${await commit({ [someFile]: 'cancelled' })}:${mainReference}`);
    const release = await held(name);
    const [running] = await vcs().admin.result<Operation[]>('list_operations', { state: 'running' });
    await vcs().admin.result('cancel_operation', { operation_id: running?.operation_id });
    const look = () => vcs().admin.result<Operation>('get_operation', { operation_id: running?.operation_id });
    expect(await eventually(look, ({ state }) => state !== 'running')).toMatchObject({ state: 'failed' });
    await release();
    await untilNothingStaged();
  }, 120_000);
});

describe('what no reference reaches', () => {
  let web: WebClient;
  beforeAll(async () => {
    web = createWebClient(vcs().cluster.baseUrl);
    await web.signIn('admin', 'secret of the first administrator');
  });

  /** Makes a repository whose branch has had a commit with a secret; returns both commits. */
  async function withSecret() {
    const kept = await commit({ [someFile]: `kept ${count}` });
    const secret = await commit({ secret: `password ${randomBytes(8).toString('hex')}\n` });
    await local(work, 'reset', '-q', '--hard', kept);
    const name = await make(`${kept}:${mainReference}`);
    // Apart: of branches that come together the one with the newest commit becomes the default branch.
    await push(name, `${secret}:refs/heads/leak`);
    return { name, kept, secret };
  }

  it('is there until it is removed, and in no way afterwards', async () => {
    const { name, kept, secret } = await withSecret();
    await push(name, ':refs/heads/leak');
    await ended(await maintain(name));
    // Kept processes and answers have it.
    expect(await waysTo({ web, admin: vcs().admin, url: urlOf(name), directory: freshPath() }, name, secret)).toEqual(
      expect.arrayContaining(['fetch', 'raw']),
    );
    const { msg, task } = await maintain(name, { remove_unreachable: true });
    expect(msg).toBe(`Maintained repository \`${name}\` and removed what no reference reaches`);
    expect(await ended({ task })).toBe('done');
    expect(await waysTo({ web, admin: vcs().admin, url: urlOf(name), directory: freshPath() }, name, secret)).toEqual(
      [],
    );
    const path = await pathOf(name);
    const objects = await local(path, 'cat-file', '--batch-all-objects', '--batch-check=%(objectname)');
    expect(objects).not.toContain(secret);
    await local(path, 'fsck', '--strict', '--full');
    expect((await local(await clone(name), 'rev-parse', 'HEAD')).trim()).toBe(kept);
    await untilNothingStaged();
  }, 120_000);

  it('is kept when a push that arrives meanwhile brings it', async () => {
    const { name, kept, secret } = await withSecret();
    await push(name, ':refs/heads/leak');
    const root = vcs().cluster.storageRoots[storage] ?? '';
    const sent = { url: vcs().url(name), key: vcs().admin.apiKey, path: work, branch: 'refs/heads/back', root };
    const arriving = await holdPush({ ...sent, to: secret });
    expect(await ended(await maintain(name, { remove_unreachable: true }))).toBe('done');
    expect((await arriving.finish()).report).toContain('ok refs/heads/back');
    const path = await clone(name);
    expect((await local(path, 'rev-parse', 'origin/back', 'HEAD')).trim().split('\n')).toEqual([secret, kept]);
  }, 120_000);

  it('is missed by a push that was checked before, and builds upon it', async () => {
    const { name, secret } = await withSecret();
    await push(name, ':refs/heads/leak');
    await local(work, 'checkout', '-q', secret);
    const above = await commit({ above: String(count) });
    await local(work, 'checkout', '-q', mainBranch);
    const path = await pathOf(name);
    const [row] = await sql<{ id: number }[]>`select id from repositories where name = ${name}`;
    // An operation that does not end keeps the push waiting.
    await sql`insert into operations (id, kind, repository_id, request, state, worker, attempt, lease_until)
      values (gen_random_uuid(), 'pull', ${row?.id ?? 0}, '{}', 'running', 'elsewhere', 1, now() + interval '1 hour')`;
    const root = vcs().cluster.storageRoots[storage] ?? '';
    const sent = { url: vcs().url(name), key: vcs().admin.apiKey, path: work, branch: 'refs/heads/above', root };
    const arriving = await holdPush({ ...sent, to: above, without: secret });
    arriving.send();
    const received = async () =>
      (await readdir(join(root, '@staging'), { recursive: true })).filter((one) => one.endsWith('.push/changes'));
    await eventually(received, (found) => found.length > 0, 60);
    await local(path, 'repack', '-a', '-d', '-q');
    await sql`update repositories set generation = generation + 1, removed_at_generation = generation + 1
      where name = ${name}`;
    await sql`delete from operations where worker = 'elsewhere'`;
    expect((await arriving.finish()).report).toContain('ng refs/heads/above');
    await local(path, 'fsck', '--strict', '--full');
    expect(await local(path, 'for-each-ref', 'refs/heads/above')).toBe('');
  }, 120_000);

  it('cannot be removed from a Mercurial repository, which is maintained all the same', async () => {
    const { admin } = vcs();
    await admin.result('create_repo', { repo_name: 'maintained-hg', repo_type: 'hg', storage });
    expect((await maintain('maintained-hg')).msg).toBe('Maintained repository `maintained-hg`');
    expect(await admin.error('maintain_repo', { repoid: 'maintained-hg', remove_unreachable: true })).toBe(
      'Invalid value for `remove_unreachable`: changesets cannot be removed from a Mercurial repository',
    );
  });
});
