import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { git, hg, makeRemote, type Remote } from '../harness/remotes.ts';
import { admin, makeUser, repositoryTypes, uniqueName, type TestUser } from '../harness/shared-cluster.ts';

interface History {
  readonly raw_id: string;
  readonly kind: string | null;
  readonly changes: readonly { readonly raw_id: string; readonly path: string; readonly message: string }[];
  readonly next: string | null;
  readonly complete: boolean;
}

interface Annotation {
  readonly origins: readonly { readonly raw_id: string; readonly before: object | null }[];
  readonly blocks: readonly object[];
  readonly next_line: number | null;
}

describe.each(repositoryTypes)('the history of files in %s', (type) => {
  let remote: Remote;
  let repoid: string;
  let reader: TestUser;
  const ids: string[] = [];

  beforeAll(async () => {
    remote = await makeRemote[type]();
    const run = type === 'git' ? git : hg;
    ids.push(
      await remote.commit(
        { 'd/old': '1\n2\n3\n4\n', 'data.bin': 'a\0b', large: 'x\n'.repeat(600_000) },
        'first\n\nmore',
      ),
    );
    ids.push(await remote.commit({ 'd/old': '1\ntwo\n3\n4\n' }, 'second'));
    await run(remote.directory, 'mv', 'd/old', 'new');
    ids.push(await remote.commit({}, 'third'));
    ids.push(await remote.commit({ other: 'x\n' }, 'fourth'));
    repoid = uniqueName(type);
    await admin.result('create_repo', { repo_name: repoid, repo_type: type, clone_uri: remote.url, private: true });
    reader = await makeUser();
    await admin.result('grant_user_permission', { repoid, userid: reader.id, perm: 'repository.read' });
  });
  afterAll(() => remote.close());

  const history = (args: object) => reader.client.result<History>('get_file_history', { repoid, ...args });
  const annotation = (args: object) => reader.client.result<Annotation>('annotate_file', { repoid, ...args });

  it('get_file_history lists changesets with the path at each, the newest first', async () => {
    const whole = await history({ file_path: 'new' });
    expect(whole).toMatchObject({ raw_id: ids[3], kind: 'file', next: null, complete: true });
    expect(whole.changes).toMatchObject([
      {
        raw_id: ids[2],
        revision: 2,
        message: type === 'git' ? 'third\n' : 'third',
        path: 'new',
        change: 'renamed',
        former_path: 'd/old',
      },
      { raw_id: ids[1], revision: 1, parents: [ids[0]], path: 'd/old', change: 'changed', former_path: null },
      { raw_id: ids[0], revision: 0, path: 'd/old', change: 'added', former_path: null },
    ]);
    expect(await history({ file_path: '/new', revision: ids[2], limit: '5' })).toMatchObject({
      changes: whole.changes,
    });
    expect((await history({ file_path: 'd', revision: 1 })).changes.map((change) => change.raw_id)).toEqual([
      ids[1],
      ids[0],
    ]);
    expect((await history({ file_path: 'd/old' })).kind).toBeNull();
  });

  it('get_file_history returns pages of one history, whatever the revision means by then', async () => {
    const whole = await history({ file_path: 'new' });
    const pages: History['changes'][number][] = [];
    let cursor: string | null = null;
    for (let page = 0; page < 3; page += 1) {
      const found: History = await history({
        file_path: 'new',
        revision: page === 0 ? 'tip' : 'none',
        limit: 1,
        cursor,
      });
      pages.push(...found.changes);
      cursor = found.next;
    }
    expect([pages, cursor]).toEqual([whole.changes, null]);
  });

  it('annotate_file returns the lines by the changesets that have written them, in pages too', async () => {
    const whole = await annotation({ file_path: 'new' });
    expect(whole).toMatchObject({ raw_id: ids[3], line_count: 4, next_line: null });
    expect(whole.origins).toMatchObject([
      { raw_id: ids[0], message: 'first', path: 'd/old', before: null },
      { raw_id: ids[1], message: 'second', path: 'd/old', before: { raw_id: ids[0], path: 'd/old' } },
    ]);
    expect(whole.blocks).toEqual([
      { line: 1, lines: 1, origin: 0, origin_line: 1 },
      { line: 2, lines: 1, origin: 1, origin_line: 2 },
      { line: 3, lines: 2, origin: 0, origin_line: 3 },
    ]);
    const part = await annotation({ file_path: 'new', start_line: 2, limit: 2 });
    expect(part).toMatchObject({ line_count: 4, next_line: 4 });
    expect([part.origins.map((origin) => origin.raw_id), part.blocks]).toEqual([
      [ids[1], ids[0]],
      [
        { line: 2, lines: 1, origin: 0, origin_line: 2 },
        { line: 3, lines: 1, origin: 1, origin_line: 3 },
      ],
    ]);
    expect(await annotation({ file_path: 'new', start_line: 9 })).toMatchObject({ blocks: [], next_line: null });
  });

  it.each([
    ['get_file_history', { file_path: 'none' }, 'There is no such file or directory'],
    ['get_file_history', { file_path: '../new' }, 'There is no such file or directory'],
    ['get_file_history', { file_path: 'new', revision: 'none' }, 'Unknown revision none'],
    [
      'get_file_history',
      { file_path: 'new', cursor: 'x' },
      'Invalid value for `cursor`: must be the `next` of another page',
    ],
    ['annotate_file', { file_path: 'd', revision: 1 }, 'There is no such file or directory'],
    ['annotate_file', { file_path: 'data.bin' }, 'This file is binary, and has no lines'],
    ['annotate_file', { file_path: 'large' }, 'This file is too large'],
    [
      'annotate_file',
      { file_path: 'new', limit: 20_001 },
      'Invalid value for `limit`: must be a whole number from 1 to 20000',
    ],
  ])('%s of %j is refused', async (method, args, text) => {
    expect(await reader.client.error(method, { repoid, ...args })).toBe(text);
  });

  it('B10 nothing of what is kept is for a user whose right was revoked', async () => {
    const missing = `repository \`${repoid}\` does not exist`;
    const ask = (act: 'result' | 'error') =>
      Promise.all([
        reader.client[act]('get_file_history', { repoid, file_path: 'new' }),
        reader.client[act]('annotate_file', { repoid, file_path: 'new' }),
      ]);
    await ask('result');
    await admin.result('revoke_user_permission', { repoid, userid: reader.id });
    expect(await ask('error')).toEqual([missing, missing]);
    expect(await reader.client.error('annotate_file', { repoid, file_path: 'none' })).toBe(missing);
    await admin.result('grant_user_permission', { repoid, userid: reader.id, perm: 'repository.read' });
    await ask('result');
  });
});
