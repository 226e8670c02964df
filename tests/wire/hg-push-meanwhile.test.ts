import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { findByteFaults } from '../harness/byte-faults.ts';
import { eventually } from '../harness/eventually.ts';
import { hg, makeHgRemote } from '../harness/remotes.ts';
import { admin, cluster, makeUser, sql, uniqueName, type TestUser } from '../harness/shared-cluster.ts';
import { someFile } from '../harness/unique-name.ts';
import { bundleOfAll, holdBundle, type HeldBundle } from './held-bundle.ts';
import { occupy } from './held-push.ts';
import { outcomesOf } from './push-outcomes.ts';
import { tipOf } from './pushed.ts';
import { changesMeanwhile, loginsMeanwhile, type ChangeMeanwhile, type OpenLogin } from './changes-meanwhile.ts';

// Each test runs several clients, beside whatever else the machine does.
vi.setConfig({ testTimeout: 180_000 });

let ann: TestUser;
/** The changeset that is pushed, and the bundle with it. */
let id = '';
let bundle: Buffer;
beforeAll(async () => {
  ann = await makeUser();
  const directory = await mkdtemp(join(tmpdir(), 'trunkline-hg-held-'));
  await hg(directory, 'init', '.');
  const options = ['--config=ui.allowemptycommit=1', '-m', directory, '-u', 'Ann <ann@example.com>'];
  await hg(directory, 'commit', '-q', ...options);
  id = await hg(directory, 'log', '-r', '.', '-T', '{node}');
  bundle = await bundleOfAll(directory);
  await rm(directory, { recursive: true });
});

interface Held {
  readonly name: string;
  readonly push: HeldBundle;
}

type Login = Pick<OpenLogin, 'username' | 'key'>;
const ownKey = (): Login => ({ username: 'api-key', key: ann.client.apiKey });

/** Makes a repository into which ann may push, and a push with a login of hers whose last bytes are missing. */
async function held(args: Readonly<Record<string, unknown>> = {}, login = ownKey()): Promise<Held> {
  const name = uniqueName('hg-held');
  await admin.result('create_repo', { repo_name: name, repo_type: 'hg', storage: 'default', ...args });
  await admin.result('grant_user_permission', { repoid: name, userid: ann.username, perm: 'repository.write' });
  const { username, key } = login;
  const sent = { baseUrl: cluster.baseUrl, name, username, key };
  return { name, push: await holdBundle(sent, bundle, cluster.storageRoot) };
}

const outcomes = (name: string) => outcomesOf(sql, name);

const untilGone = (push: HeldBundle) =>
  eventually(
    async () => existsSync(push.directory),
    (exists) => !exists,
    60,
  );

/** Expects that database and disk agree. */
const expectConsistent = async (name: string) =>
  expect(await findByteFaults(sql, cluster.storageRoots, name)).toEqual([]);

describe('F4 B8 during an upload of hg', () => {
  it.each<ChangeMeanwhile>([
    ...changesMeanwhile(() => ann.username),
    [
      'the repository is moved',
      (name) => ['move_repo', { repoid: name, storage: 'second' }],
      (name) => `Repository \`${name}\` was moved meanwhile, push again`,
    ],
  ])('%s: the push is refused in words, and leaves nothing', async (_what, call, text) => {
    const { name, push } = await held();
    await admin.result(...call(name));
    if (call(name)[0] === 'move_repo') {
      const storageOf = () => admin.result<{ storage: string }>('get_repo', { repoid: name });
      await eventually(storageOf, ({ storage }) => storage === 'second', 90);
    }
    const answer = await push.finish();
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining(text(name))]);
    expect(await outcomes(name)).toEqual([['failed', text(name)]]);
    await untilGone(push);
    await expectConsistent(name);
  });

  it.each(loginsMeanwhile)('B5 %s: the push is refused, and leaves nothing', async (_what, open, text) => {
    const login = await open(ann, admin);
    const { name, push } = await held({}, login);
    await login.end();
    expect((await push.finish()).text).toContain(text);
    expect(await tipOf(name)).toBe('0'.repeat(40));
    await untilGone(push);
    await expectConsistent(name);
  });

  it('C7 forks and reads go on, and neither sees what the other has not', async () => {
    const { name, push } = await held();
    await admin.result('fork_repo', { repoid: name, fork_name: `${name}-fork` });
    expect((await push.finish()).status).toBe(200);
    expect(await tipOf(name)).toBe(id);
    expect(await tipOf(`${name}-fork`)).toBe('0'.repeat(40));
    await expectConsistent(name);
  });

  it('C7 a pull goes on, and both count', async () => {
    const remote = await makeHgRemote();
    onTestFinished(() => remote.close());
    await remote.commit({ [someFile]: '1' });
    const { name, push } = await held({ clone_uri: remote.url });
    await remote.commit({ [someFile]: '2' });
    await admin.result('pull', { repoid: name });
    expect((await push.finish()).status).toBe(200);
    // Two that were pulled, and one that was pushed.
    expect(await admin.result('get_repo', { repoid: name })).toMatchObject({
      last_changeset: { raw_id: id, revision: 2 },
    });
    await expectConsistent(name);
  });

  it('F5 C6 the client hangs up: nothing is left, in storage or audit log', async () => {
    const { name, push } = await held();
    push.hangUp();
    await untilGone(push);
    expect(await outcomes(name)).toEqual([]);
    expect(await tipOf(name)).toBe('0'.repeat(40));
    await expectConsistent(name);
  });
});

describe('C7 a push of hg into a repository with another operation', () => {
  /** Sends all of a push, and waits until it has arrived. */
  async function arrived() {
    const { name, push } = await held();
    const free = await occupy(sql, name);
    const answer = push.finish();
    await eventually(
      async () => existsSync(join(push.directory, 'request')),
      (exists) => exists,
      60,
    );
    return { name, push, free, answer };
  }

  it('waits for it, and becomes visible then', async () => {
    const { name, free, answer } = await arrived();
    expect(await outcomes(name)).toEqual([]);
    expect(await tipOf(name)).toBe('0'.repeat(40));
    await free();
    expect((await answer).status).toBe(200);
    expect(await outcomes(name)).toEqual([['succeeded', null]]);
    expect(await tipOf(name)).toBe(id);
    await expectConsistent(name);
  });

  it('F5 ends when its client leaves, and nothing is recorded', async () => {
    const { name, push, free, answer } = await arrived();
    push.hangUp();
    await expect(answer).rejects.toBeInstanceOf(Error);
    await untilGone(push);
    expect(await outcomes(name)).toEqual([]);
    await free();
    expect(await tipOf(name)).toBe('0'.repeat(40));
    await expectConsistent(name);
  });
});
