import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { git, hg, makeRemote, type Remote } from '../harness/remotes.ts';
import {
  admin,
  makeRepository,
  makeUser,
  repositoryTypes,
  uniqueName,
  type TestUser,
} from '../harness/shared-cluster.ts';

interface Comparison {
  readonly merge_base: string | null;
  readonly ahead: number;
  readonly behind: number;
  readonly changesets: readonly { readonly raw_id: string }[];
  readonly next: number | null;
  readonly files: { readonly added: string[]; readonly changed: string[]; readonly removed: string[] } | null;
}

interface Diff {
  readonly merge_base: string | null;
  readonly diff: string;
  readonly truncated: boolean;
}

describe.each(repositoryTypes)('two revisions of a %s repository', (type) => {
  let remote: Remote;
  let reader: TestUser;
  let name: string;
  let base: string;
  let left: string;
  const right: string[] = [];

  beforeAll(async () => {
    reader = await makeUser();
    remote = await makeRemote[type]();
    const { directory, commit } = remote;
    base = await commit({ 'a/file': 'one\n  two\n', gone: 'x\n' }, 'base');
    left = await commit({ left: 'x\n' }, 'left');
    if (type === 'git') await git(directory, 'switch', '-q', '-c', 'right', base);
    else await hg(directory, 'update', '-q', base);
    right.push(await commit({ 'a/file': 'one\n two\n', 'ü #': 'x\n' }, 'r1'));
    right.push(await commit({ 'a/file': 'one\n two\nthree\n' }, 'r2'));
    right.push(await commit({ large: 'line\n'.repeat(10_000) }, 'r3'));
    name = uniqueName(type);
    await admin.result('create_repo', { repo_name: name, repo_type: type, clone_uri: remote.url });
  });
  afterAll(() => remote.close());

  const compare = (args: object = {}) =>
    reader.client.result<Comparison>('compare_revisions', { repoid: name, from: left, to: right[2], ...args });
  const diffOf = (args: object = {}) =>
    reader.client.result<Diff>('get_repo_diff', { repoid: name, from: left, to: right[1], ...args });

  it('compare_revisions tells the ancestor, how far apart they are, changesets and files', async () => {
    const found = await compare();
    expect(found).toMatchObject({ merge_base: base, ahead: 3, behind: 1, next: null });
    expect(found.changesets.map(({ raw_id: id }) => id)).toEqual(right.toReversed());
    const [newest] = found.changesets;
    expect(newest).toEqual(await admin.result('get_changeset', { repoid: name, revision: right[2] }));
    expect(found.files).toEqual({ added: ['large', 'ü #'], changed: ['a/file'], removed: [], truncated: false });
    // Answered by the cached reply.
    expect(await compare()).toEqual(found);
  });

  it('compare_revisions is answered in pages, of which the first has the files', async () => {
    const shown: string[] = [];
    for (let cursor: number | null = 0; cursor !== null;) {
      const page: Comparison = await compare({ limit: 2, cursor });
      expect(page.files === null).toBe(cursor > 0);
      shown.push(...page.changesets.map(({ raw_id: id }) => id));
      cursor = page.next;
    }
    expect(shown).toEqual(right.toReversed());
    expect(await compare({ cursor: 7 })).toMatchObject({ changesets: [], next: null, ahead: 3 });
  });

  it('get_repo_diff begins at the ancestor, and takes options', async () => {
    const { merge_base, diff, truncated } = await diffOf();
    expect([merge_base, truncated]).toEqual([base, false]);
    expect(diff).toContain('\n-  two\n+ two\n+three\n');
    expect(diff).not.toContain('left');
    expect((await diffOf({ ignore_whitespace: true })).diff).not.toContain('-  two');
    expect((await diffOf({ context: 0 })).diff).not.toContain('\n one\n');
  });

  it('get_repo_diff says when it is cut off', async () => {
    const { diff, truncated } = await diffOf({ to: right[2], max_bytes: 500 });
    expect([Buffer.byteLength(diff) <= 500, truncated]).toEqual([true, true]);
    expect((await diffOf({ to: right[2] })).truncated).toBe(false);
  });

  it.each([
    [{ to: 'none' }, 'Unknown revision none'],
    [{ from: '--debugger' }, 'Unknown revision --debugger'],
    [{ from: null, to: 'a\0' }, 'Invalid value for `to`: must not contain NUL'],
    [{ other_repoid: 'no/such' }, 'repository `no/such` does not exist'],
  ])('%j is refused', async (args, text) => {
    for (const method of ['compare_revisions', 'get_repo_diff']) {
      expect(await reader.client.error(method, { repoid: name, from: left, to: 'tip', ...args })).toBe(text);
    }
  });

  it('of an empty repository are refused', async () => {
    const empty = { repoid: await makeRepository(type), from: 'tip', to: 'tip' };
    expect(await admin.error('compare_revisions', empty)).toBe('Empty repository');
  });

  it('a cached comparison is not the answer about another repository, nor about later bytes of the same', async () => {
    const other = uniqueName('copy');
    await admin.result('create_repo', { repo_name: other, repo_type: type, clone_uri: remote.url });
    const to = type === 'git' ? 'right' : 'tip';
    const aheadIn = async (repoid: string) => (await compare({ to, other_repoid: repoid })).ahead;
    expect([await aheadIn(name), await aheadIn(other)]).toEqual([3, 3]);
    await remote.commit({ later: 'x\n' }, 'r4');
    await admin.result('pull', { repoid: other });
    expect([await aheadIn(name), await aheadIn(other)]).toEqual([3, 4]);
  });

  it('B10 of which one is in a repository that may not be read are not compared, also after others did it', async () => {
    const hidden = uniqueName('hidden');
    await admin.result('create_repo', { repo_name: hidden, repo_type: type, clone_uri: remote.url, private: true });
    const args = { repoid: name, from: left, to: right[2], other_repoid: hidden };
    for (const method of ['compare_revisions', 'get_repo_diff']) {
      expect(await admin.result(method, args)).toMatchObject({ merge_base: base });
      expect(await reader.client.error(method, args)).toBe(`repository \`${hidden}\` does not exist`);
      const turned = { ...args, repoid: hidden, other_repoid: name };
      expect(await reader.client.error(method, turned)).toBe(`repository \`${hidden}\` does not exist`);
    }
  });
});
