import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createClient, type Client } from '../harness/client.ts';
import { eventually } from '../harness/eventually.ts';
import { findByteFaults } from '../harness/byte-faults.ts';
import { git, makeGitRemote } from '../harness/remotes.ts';
import { mainBranch, mainReference, someFile, uniqueName } from '../harness/unique-name.ts';
import { bundleOfAll, holdBundle } from './held-bundle.ts';
import { commitText, holdPush, occupy, stagedIn, untilArrived } from './held-push.ts';
import { outcomesOf } from './push-outcomes.ts';
import { hg, runGit, runHg, useVcsCluster } from './vcs-cluster.ts';
import { changesMeanwhile, loginsMeanwhile, type OpenLogin } from './changes-meanwhile.ts';

const vcs = useVcsCluster({ default: { TRUNKLINE_PUSH_WAIT_SECONDS: '4' } });
const storage = 'second';
let sql: postgres.Sql;
let ann: Client;
const heldReference = `refs/heads/${uniqueName('held')}`;
let count = 0;
let [first, path, hgPath] = ['', '', ''];

beforeAll(async () => {
  const { admin, cluster, directory } = vcs();
  sql = postgres(cluster.databaseUrl, { max: 2, onnotice: () => {} });
  await admin.result('create_user', { username: 'ann', email: 'ann@example.com' });
  const { api_key: key } = await admin.result<{ api_key: string }>('get_user', { userid: 'ann' });
  ann = createClient(cluster.baseUrl, key);
  path = join(directory, 'work');
  await git(directory, 'init', '-q', '-b', mainBranch, path);
  first = await commit('one');
  hgPath = join(directory, 'hg-held');
  await hg(directory, 'init', hgPath);
  await hg(hgPath, 'commit', '-q', '--config=ui.allowemptycommit=1', '-m', 'one', '-u', 'Ann <ann@example.com>');
});
afterAll(() => sql.end());

const commit = (text: string) => commitText(path, text);
interface Held {
  readonly branch?: string;
  readonly gateway?: number;
  /** Ann's API key, unless it is given. */
  readonly login?: Pick<OpenLogin, 'username' | 'key'>;
}

/** Makes a repository into which ann may push, and a push of hers whose last bytes are missing. */
async function held({ branch = mainReference, gateway = 1, login, ...more }: Record<string, unknown> & Held = {}) {
  const { admin, url, cluster } = vcs();
  count += 1;
  const name = `held-${count}`;
  await admin.result('create_repo', { repo_name: name, repo_type: 'git', storage, ...more });
  await admin.result('grant_user_permission', { repoid: name, userid: 'ann', perm: 'repository.write' });
  const root = cluster.storageRoots[storage] ?? '';
  const { username, key } = login ?? { username: 'api-key', key: ann.apiKey };
  const sent = { url: url(name, '', gateway), username, key, path, branch, to: first, root };
  return { name, push: await holdPush(sent) };
}

/** Makes a repository of Mercurial, and a push into it whose last bytes are missing. */
async function heldBundle(name: string, baseUrl: string) {
  const { admin, cluster } = vcs();
  await admin.result('create_repo', { repo_name: name, repo_type: 'hg', storage });
  const sent = { baseUrl, name, key: admin.apiKey };
  return { name, push: await holdBundle(sent, await bundleOfAll(hgPath), cluster.storageRoots[storage] ?? '') };
}

const tipOf = async (name: string) =>
  (await sql`select last_changeset->>'rawId' as tip from repositories where name = ${name}`)[0]?.['tip'];

const staged = () => stagedIn(vcs().cluster.storageRoots[storage] ?? '');
const untilNothingStaged = () => eventually(staged, (found) => found.length === 0, 60);

const refsOf = async (name: string) => {
  const { stdout } = await runGit(path, ['ls-remote', vcs().url(name, `admin:${vcs().admin.apiKey}`)]);
  return stdout.split('\n').filter(Boolean);
};

const outcomes = (name: string) => outcomesOf(sql, name);

describe('F4 B8 during an upload', () => {
  it.each(changesMeanwhile(() => 'ann'))(
    '%s: the push is refused in words, and leaves nothing',
    async (_what, call, text) => {
      const { name, push } = await held();
      await vcs().admin.result(...call(name));
      const { status, report } = await push.finish();
      expect(status).toBe(200);
      expect(report).toContain(`ng ${mainReference} ${text(name)}\n`);
      expect(await outcomes(name)).toEqual([['failed', text(name)]]);
      expect(await refsOf(name)).toEqual([]);
      await untilNothingStaged();
    },
  );

  it.each(loginsMeanwhile)('B5 %s: the push is refused, and leaves nothing', async (_what, open, text) => {
    const login = await open({ username: 'ann', client: ann }, vcs().admin);
    const { name, push } = await held({ login });
    await login.end();
    const { status, report } = await push.finish();
    expect(status).toBe(200);
    expect(report).toContain(`ng ${mainReference} ${text}\n`);
    expect(await refsOf(name)).toEqual([]);
    await untilNothingStaged();
  });

  it('C7 another push wins, and the later one is told to fetch first', async () => {
    const { name, push } = await held();
    const url = vcs().url(name, `admin:${vcs().admin.apiKey}`, 0);
    const second = await commit('two');
    expect(await runGit(path, ['push', '-q', url, `${second}:${mainReference}`])).toMatchObject({ exitCode: 0 });
    const { report } = await push.finish();
    const text = 'the reference has changed meanwhile, fetch first';
    expect(report).toContain(`ng ${mainReference} ${text}\n`);
    expect(await outcomes(name)).toEqual([
      ['succeeded', null],
      ['failed', `failed to push into \`${name}\`: ${text}`],
    ]);
    expect(await refsOf(name)).toEqual(
      [`${second}\tHEAD`, `${second}\t${mainReference}`].map((line) => expect.stringContaining(line)),
    );
  });

  it('C7 clones, forks and pushes of others go on', async () => {
    const { admin, url, cluster } = vcs();
    const { name, push } = await held({ branch: heldReference });
    const own = url(name, `admin:${admin.apiKey}`);
    expect(await runGit(path, ['push', '-q', own, `${first}:${mainReference}`])).toMatchObject({ exitCode: 0 });
    await admin.result('fork_repo', { repoid: name, fork_name: `${name}-fork` });
    expect(await runGit(path, ['ls-remote', own])).toMatchObject({ exitCode: 0 });
    expect((await push.finish()).report).toContain(`ok ${heldReference}\n`);
    expect(await refsOf(name)).toHaveLength(3);
    expect(await refsOf(`${name}-fork`)).toHaveLength(2);
    expect(await findByteFaults(sql, cluster.storageRoots, name)).toEqual([]);
  });

  it('C7 a pull goes on, and both count', async () => {
    const { admin, cluster } = vcs();
    const remote = await makeGitRemote();
    onTestFinished(() => remote.close());
    await remote.commit({ [someFile]: '1' });
    const { name, push } = await held({ branch: heldReference, clone_uri: remote.url });
    const pulled = await remote.commit({ [someFile]: '2' });
    await admin.result('pull', { repoid: name });
    expect((await push.finish()).report).toContain(`ok ${heldReference}\n`);
    expect(await refsOf(name)).toEqual(
      [`${pulled}\tHEAD`, `${first}\t${heldReference}`, `${pulled}\t${mainReference}`].map((line) =>
        expect.stringContaining(line),
      ),
    );
    // Two that were pulled and one that was pushed.
    expect(await admin.result('get_repo', { repoid: name })).toMatchObject({ last_changeset: { revision: 2 } });
    expect(await findByteFaults(sql, cluster.storageRoots, name)).toEqual([]);
  });

  it('C7 the repository moves to another storage: the push is refused, and succeeds there', async () => {
    const { admin, url, cluster } = vcs();
    const { name, push } = await held();
    await admin.result('move_repo', { repoid: name, storage: 'default' });
    await eventually(
      () => admin.result<{ storage: string }>('get_repo', { repoid: name }),
      (found) => found.storage === 'default',
      90,
    );
    const text = `Repository \`${name}\` was moved meanwhile, push again`;
    expect((await push.finish()).report).toContain(`ng ${mainReference} ${text}\n`);
    expect(await outcomes(name)).toEqual([['failed', text]]);
    const again = await runGit(path, ['push', '-q', url(name, `admin:${admin.apiKey}`), `${first}:${mainReference}`]);
    expect(again).toMatchObject({ exitCode: 0 });
    expect(await findByteFaults(sql, cluster.storageRoots, name)).toEqual([]);
    await untilNothingStaged();
  });

  it('F5 C6 the client hangs up: nothing is left, in storage or audit log', async () => {
    const { name, push } = await held();
    expect(await staged()).toHaveLength(1);
    push.hangUp();
    await untilNothingStaged();
    expect(await outcomes(name)).toEqual([]);
    expect(await refsOf(name)).toEqual([]);
  });
});

it('C7 a push waits for another operation on its repository', async () => {
  const { name, push } = await held();
  const free = await occupy(sql, name);
  push.send();
  await untilArrived(vcs().cluster.storageRoots[storage] ?? '');
  expect(await outcomes(name)).toEqual([]);
  // The other operation brings a commit, which counts for what the push records.
  const other = await commit('brought meanwhile');
  const [row] = await sql<{ path: string }[]>`
    update repositories set generation = generation + 1 where name = ${name} returning storage_path as path`;
  const stored = join(vcs().cluster.storageRoots[storage] ?? '', row?.path ?? '');
  await git(path, 'push', '-q', stored, `${other}:refs/heads/${uniqueName('other')}`);
  await free();
  expect((await push.finish()).report).toContain(`ok ${mainReference}\n`);
  expect(await outcomes(name)).toEqual([['succeeded', null]]);
  const revision = Number(await git(path, 'rev-list', '--count', other)) - 1;
  expect(await vcs().admin.result('get_repo', { repoid: name })).toMatchObject({
    last_changeset: { raw_id: other, revision },
  });
});

it('C7 a push that has waited for another operation as long as it may is refused in words that its client shows', async () => {
  const { admin, url } = vcs();
  const pushes = {
    git: (to: string) => runGit(path, ['push', to, `${first}:${mainReference}`]),
    hg: (to: string) => runHg(hgPath, ['push', to]),
  };
  await Promise.all(
    (['git', 'hg'] as const).map(async (type) => {
      const name = `busy-${type}`;
      await admin.result('create_repo', { repo_name: name, repo_type: type, storage: 'default' });
      const free = await occupy(sql, name);
      const to = url(name, `admin:${admin.apiKey}`);
      const { exitCode, stdout, stderr } = await pushes[type](to);
      expect(exitCode).not.toBe(0);
      expect(stdout + stderr).toContain(`Repository \`${name}\` is busy, push again later`);
      expect(await outcomes(name)).toEqual([['failed', `Repository \`${name}\` is busy, push again later`]]);
      await free();
      expect(await pushes[type](to)).toMatchObject({ exitCode: 0 });
    }),
  );
});

it('F5 C7 a push whose client leaves while it waits for its repository ends, and nothing is recorded', async () => {
  const { name, push } = await held();
  const free = await occupy(sql, name);
  push.send();
  await untilArrived(vcs().cluster.storageRoots[storage] ?? '');
  push.hangUp();
  await untilNothingStaged();
  expect(await outcomes(name)).toEqual([]);
  expect(await refsOf(name)).toEqual([]);
  await free();
});

it('C10 a push whose result cannot be read is recorded, and the next one repairs the repository', async () => {
  const { admin, url, cluster, blind } = vcs();
  const name = 'unreadable';
  await admin.result('create_repo', { repo_name: name, repo_type: 'git', storage });
  const push = (id: string, ...references: string[]) => {
    const changes = references.map((reference) => `${id}:${reference}`);
    return runGit(path, ['push', '-q', url(name, `admin:${admin.apiKey}`), ...changes]);
  };
  const recorded = () => sql`
    select needs_recovery, last_changeset->>'rawId' as tip from repositories where name = ${name}`;
  expect(await push(first, mainReference)).toMatchObject({ exitCode: 0 });
  const second = await commit('not to be read');
  await writeFile(blind, '');
  onTestFinished(() => rm(blind, { force: true }));
  // What other references than branches and tags lead to is read only after the push.
  expect(await push(second, mainReference, 'refs/notes/own')).toMatchObject({ exitCode: 0 });
  expect(await recorded()).toEqual([{ needs_recovery: true, tip: first }]);
  await rm(blind);
  const third = await commit('to be read again');
  expect(await push(third, mainReference)).toMatchObject({ exitCode: 0 });
  expect(await recorded()).toEqual([{ needs_recovery: false, tip: third }]);
  expect(await outcomes(name)).toEqual(Array.from({ length: 3 }, () => ['succeeded', null]));
  expect(await findByteFaults(sql, cluster.storageRoots, name)).toEqual([]);
});

describe('C6 during an upload', () => {
  it('the gateway dies: nothing is left of a push by either system', async () => {
    const { cluster, admin } = vcs();
    const extra = await cluster.startGateway();
    const name = 'held-by-gateway';
    await admin.result('create_repo', { repo_name: name, repo_type: 'git', storage });
    const sent = { url: `${extra.baseUrl}/${name}`, key: admin.apiKey, path, branch: mainReference, to: first };
    await holdPush({ ...sent, root: cluster.storageRoots[storage] ?? '' });
    const ofHg = await heldBundle('hg-held-by-gateway', extra.baseUrl);
    await extra.kill();
    await untilNothingStaged();
    expect(await refsOf(name)).toEqual([]);
    for (const one of [name, ofHg.name]) expect(await outcomes(one)).toEqual([]);
    expect(await tipOf(ofHg.name)).toBeNull();
  });

  it('the worker dies: the next one clears what it left, and the pushes can be repeated', async () => {
    const { workers, cluster, admin, url } = vcs();
    const { name, push } = await held();
    const ofHg = await heldBundle('hg-held-by-worker', cluster.baseUrl);
    await workers[storage]?.kill();
    // The gateway has sent nothing of an answer yet.
    const answers = await Promise.allSettled([push.finish(), ofHg.push.finish()]);
    expect(answers.map((one) => (one.status === 'fulfilled' ? one.value.status : 503))).toEqual([503, 503]);
    expect(await staged()).toHaveLength(2);
    await sql`update storages set sweep_lease_until = now() - interval '1 s'`;
    await cluster.startWorker({ TRUNKLINE_STORAGES: `${storage}=${cluster.storageRoots[storage]}` });
    await untilNothingStaged();
    for (const one of [name, ofHg.name]) expect(await outcomes(one)).toEqual([]);
    expect(await tipOf(ofHg.name)).toBeNull();
    const pushed = await runGit(path, ['push', '-q', url(name, `admin:${admin.apiKey}`), `${first}:${mainReference}`]);
    expect(pushed).toMatchObject({ exitCode: 0 });
    expect(await runHg(hgPath, ['push', '-q', url(ofHg.name, `admin:${admin.apiKey}`)])).toMatchObject({ exitCode: 0 });
    expect(await tipOf(ofHg.name)).toBe((await hg(hgPath, 'log', '-r', 'tip', '-T', '{node}')).trim());
    for (const one of [name, ofHg.name]) expect(await findByteFaults(sql, cluster.storageRoots, one)).toEqual([]);
  });
});
