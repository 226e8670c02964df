import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWebClient } from '../harness/web-client.ts';
import { admin, cluster, makeRepository, makeUser, uniqueName, type TestUser } from '../harness/shared-cluster.ts';
import { git, runGit } from './vcs-cluster.ts';

const refs = 'info/refs?service=git-upload-pack';
const pushRefs = 'info/refs?service=git-receive-pack';
const missing = { status: 404, text: 'Repository not found\n' };

let own = '';
let other = '';
let directory = '';

beforeAll(async () => {
  [own, other] = [await makeRepository('git', { private: true }), await makeRepository('git', { private: true })];
  directory = await mkdtemp(join(tmpdir(), 'trunkline-limited-'));
});

afterAll(() => rm(directory, { recursive: true, force: true }));

interface Key {
  readonly api_key: string;
  readonly api_key_id: number;
}

/** Creates a key of a user who may read both repositories; an administrator by default. */
async function makeKey(args: Record<string, unknown>, user?: TestUser): Promise<Key> {
  const owner = user ?? (await makeUser({ admin: true }));
  return (await owner.client.result<{ api_key: Key }>('create_api_key', args)).api_key;
}

const urlOf = (name: string, key: Key) => `${cluster.baseUrl.replace('://', `://api-key:${key.api_key}@`)}/${name}`;

async function ask(path: string, { api_key: key }: Key) {
  const authorization = `Basic ${Buffer.from(`api-key:${key}`).toString('base64')}`;
  const response = await fetch(`${cluster.baseUrl}/${path}`, { headers: { authorization }, redirect: 'manual' });
  const shown = [...response.headers].filter(([name]) => !['date', 'x-request-id'].includes(name));
  return { status: response.status, headers: Object.fromEntries(shown), text: await response.text() };
}

describe('a limited key', () => {
  it('B7 clones its repository, also under a new name, and no other, whose answer is that of a missing one', async () => {
    const renamed = await makeRepository('git', { private: true });
    const key = await makeKey({ limited_to: 'fetch', repositories: [renamed] });
    await git(directory, 'clone', '-q', urlOf(renamed, key), join(directory, 'before'));
    const name = uniqueName('renamed');
    await admin.result('update_repo', { repoid: renamed, name });
    await git(directory, 'clone', '-q', urlOf(name, key), join(directory, 'after'));
    const { repo_id: id } = await admin.result<{ repo_id: number }>('get_repo', { repoid: other });
    for (const path of [refs, pushRefs]) {
      const answers = await Promise.all(
        [uniqueName('missing'), other, `${other}.git`, `_${id}`].map((one) => ask(`${one}/${path}`, key)),
      );
      expect(answers[0]).toMatchObject(missing);
      for (const answer of answers) expect(answer).toEqual(answers[0]);
    }
    const { stderr, exitCode } = await runGit(directory, ['clone', urlOf(other, key), join(directory, 'other')]);
    expect(exitCode).not.toBe(0);
    expect(stderr).toContain('Repository not found');
  });

  it('B5 that is revoked between two requests opens nothing, whatever the repository', async () => {
    const owner = await makeUser({ admin: true });
    const key = await makeKey({ limited_to: 'fetch', repositories: [own] }, owner);
    expect((await ask(`${own}/${refs}`, key)).status).toBe(200);
    await owner.client.result('revoke_api_key', { api_key_id: key.api_key_id });
    const answers = await Promise.all([uniqueName('missing'), own, other].map((one) => ask(`${one}/${refs}`, key)));
    expect(answers[0]).toMatchObject({ status: 401, text: 'Invalid username, password or API key\n' });
    for (const answer of answers) expect(answer).toEqual(answers[0]);
  });

  it('opens nothing when its repository is deleted, also under the same name', async () => {
    const gone = await makeRepository('git');
    const key = await makeKey({ limited_to: 'push', repositories: [gone] });
    expect((await ask(`${gone}/${refs}`, key)).status).toBe(200);
    await admin.result('delete_repo', { repoid: gone });
    expect(await ask(`${gone}/${refs}`, key)).toMatchObject(missing);
    await admin.result('create_repo', { repo_name: gone, repo_type: 'git' });
    for (const name of [gone, own]) expect(await ask(`${name}/${refs}`, key)).toMatchObject(missing);
  });

  it('B9 gives no right that its owner does not have', async () => {
    const ann = await makeUser();
    await admin.result('grant_user_permission', { repoid: own, userid: ann.username, perm: 'repository.read' });
    const keys = [
      await makeKey({ limited_to: 'push', repositories: [own] }, ann),
      await makeKey({ limited_to: 'fetch' }, ann),
    ];
    for (const key of keys) {
      expect((await ask(`${own}/${refs}`, key)).status).toBe(200);
      expect(await ask(`${other}/${refs}`, key)).toMatchObject(missing);
    }
    await admin.result('revoke_user_permission', { repoid: own, userid: ann.username });
    for (const key of keys) expect(await ask(`${own}/${refs}`, key)).toMatchObject(missing);
  });

  it('B7 to clone and fetch is told so when it pushes to a repository that it opens', async () => {
    const key = await makeKey({ limited_to: 'fetch', repositories: [own] });
    expect(await ask(`${own}/${pushRefs}`, key)).toMatchObject({
      status: 403,
      text: 'This API key is limited to clone and fetch\n',
    });
    const pusher = await makeKey({ limited_to: 'push', repositories: [own] });
    expect((await ask(`${own}/${pushRefs}`, pusher)).text).not.toContain('limited');
  });

  it('B14 opens no page and no feed', async () => {
    const { api_key: key } = await makeKey({ limited_to: 'push' });
    const web = createWebClient(cluster.baseUrl);
    for (const path of [`/${own}/feed/rss`, '/_admin/journal/atom', `/${own}`, '/']) {
      const answer = await web.get(`${path}?api_key=${key}`);
      expect([answer.status, answer.text]).toEqual([403, 'This API key is limited to clone, fetch and push\n']);
      expect((await web.get(path, { authorization: `Bearer ${key}` })).status).toBe(403);
    }
  });
});
