import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fastImport } from '../../apps/vcs-worker/src/vcs/testing/feed-git.ts';
import { git, hg, makeRemote, type Remote } from '../harness/remotes.ts';
import { admin, makeRepository, makeUser, repositoryTypes, uniqueName } from '../harness/shared-cluster.ts';
import { mainBranch, mainReference, someFile } from '../harness/unique-name.ts';

interface Changeset {
  readonly raw_id: string;
  readonly revision: number;
  readonly message: string;
  readonly date: string;
}

const total = 7;
const side = uniqueName('side');

describe.each(repositoryTypes)('get_changesets %s', (type) => {
  let remote: Remote;
  let repoid: string;
  const ids: string[] = [];

  /** Commits changesets 0 to 4 on one branch, and 5 and 6, which descend from 4, on a side branch. */
  beforeAll(async () => {
    remote = await makeRemote[type]();
    for (let number = 0; number < total; number += 1) {
      if (number === 5 && type === 'git') await git(remote.directory, 'checkout', '-q', '-b', side);
      if (number === 5 && type === 'hg') await hg(remote.directory, 'branch', '-q', side);
      ids.push(await remote.commit({ [someFile]: `${number}` }, `number ${number}`));
    }
    repoid = uniqueName(type);
    await admin.result('create_repo', { repo_name: repoid, repo_type: type, clone_uri: remote.url });
  });
  afterAll(() => remote.close());

  const list = (args: Record<string, unknown>) => admin.result<Changeset[]>('get_changesets', { repoid, ...args });
  const numbers = async (args: Record<string, unknown>) => (await list(args)).map(({ revision }) => revision);
  const failed = () => `failed to get repo: \`${repoid}\` changesets`;

  it('returns all changesets, ascending or descending', async () => {
    expect((await list({})).map(({ raw_id: id, revision, message }) => [id, revision, message.trim()])).toEqual(
      ids.map((id, number) => [id, number, `number ${number}`]),
    );
    expect(await numbers({ reverse: true })).toEqual([6, 5, 4, 3, 2, 1, 0]);
  });

  it('returns each one like get_changeset', async () => {
    const [, second] = await list({ with_file_list: true });
    expect(second).toEqual(await admin.result('get_changeset', { repoid, revision: 1, with_file_list: true }));
    expect(second).toMatchObject({ changed: [someFile] });
  });

  it('returns a range of revisions with both ends', async () => {
    expect(await numbers({ start: 2, end: ids[4] })).toEqual([2, 3, 4]);
    expect(await numbers({ start: 'tip' })).toEqual([6]);
    expect(await numbers({ end: '1', reverse: true })).toEqual([1, 0]);
    expect(await numbers({ start: 4, end: 2 })).toEqual([]);
  });

  it('returns a branch, by either name of the argument', async () => {
    const expected = type === 'hg' ? [5, 6] : [0, 1, 2, 3, 4, 5, 6];
    expect(await numbers({ branch_name: side })).toEqual(expected);
    expect(await numbers({ branch: side, start: 5 })).toEqual([5, 6]);
    expect(await numbers({ branch: type === 'hg' ? 'default' : mainBranch })).toEqual([0, 1, 2, 3, 4]);
  });

  it('returns a span of time', async () => {
    const dates = (await list({})).map(({ date }) => date);
    const [first = '', last = ''] = [dates[0], dates.at(-1)];
    expect(await numbers({ start_date: first, end_date: last })).toHaveLength(total);
    expect(await numbers({ start_date: first.slice(0, 10), end_date: last.slice(0, 10) })).toHaveLength(total);
    expect(await numbers({ start_date: '1970-01-01', end_date: '2000-01-01' })).toEqual([]);
    expect(await numbers({ start_date: '9999-12-31' })).toEqual([]);
  });

  it.each(['start_date', 'end_date'])('refuses an invalid %s', async (name) => {
    for (const value of ['yesterday', '2015-02-29', '2016-05-16 14:00', '', 5]) {
      expect(await admin.error('get_changesets', { repoid, [name]: value })).toBe(
        `Invalid value for \`${name}\`: must be a date (2016-05-16) or a time stamp (2016-05-16T14:00:00)`,
      );
    }
  });

  it.each([false, true])('returns pages that together are the whole list, reverse: %j', async (reverse) => {
    const whole = await list({ reverse });
    const pages: Changeset[] = [];
    for (let page = await list({ reverse, limit: 3 }); page.length > 0;) {
      expect(page.length).toBeLessThanOrEqual(3);
      pages.push(...page);
      page = await list({ reverse, max_revisions: '3', cursor: page.at(-1)?.raw_id });
    }
    expect(pages).toEqual(whole);
  });

  it.each([
    { start: 'no-such' },
    { end: 99 },
    { start: 'all()' },
    { end: '--output=x' },
    { branch_name: 'no-such' },
    { branch_name: '--all' },
    { branch_name: 'literal:default' },
    { branch_name: 'default" or "' },
    { cursor: 'f'.repeat(40) },
  ])('D1 D3 D5 unknown: %j', async (args) => {
    expect(await admin.error('get_changesets', { repoid, ...args })).toBe(failed());
    expect(await numbers({ limit: 1 })).toEqual([0]);
  });

  it('accepts only a full id as cursor', async () => {
    for (const cursor of ['', 'tip', ids[0]?.slice(0, 20)]) {
      expect(await admin.error('get_changesets', { repoid, cursor })).toBe(
        'Invalid value for `cursor`: must be a full changeset id',
      );
    }
  });

  it('an empty repository has no changesets', async () => {
    const empty = await makeRepository(type);
    expect(await admin.result('get_changesets', { repoid: empty, start: 'tip', branch_name: 'x' })).toEqual([]);
  });

  it('is allowed with read; without it the repository is answered as missing', async () => {
    const { client } = await makeUser();
    expect(await client.result('get_changesets', { repoid })).toHaveLength(total);
    const hidden = await makeRepository(type, { private: true });
    expect(await client.error('get_changesets', { repoid: hidden })).toBe(`repository \`${hidden}\` does not exist`);
  });
});

async function addHistory(type: 'hg' | 'git', remote: Remote, count: number): Promise<void> {
  const commit = `commit ${mainReference}\ncommitter A <a@example.com> 1500000000 +0000\ndata 1\nx\n`;
  if (type === 'git') await fastImport(join(remote.directory, '.git'), commit.repeat(count));
  else await hg(remote.directory, 'debugbuilddag', `+${count}`);
}

describe.each(repositoryTypes)('get_changesets %s of a longer history', (type) => {
  it('returns a hundred without a limit, and refuses more than ten thousand', async () => {
    const remote = await makeRemote[type]();
    try {
      await addHistory(type, remote, 102);
      const repoid = uniqueName(type);
      await admin.result('create_repo', { repo_name: repoid, repo_type: type, clone_uri: remote.url });
      const list = (args: object) => admin.result<Changeset[]>('get_changesets', { repoid, ...args });
      const first = await list({});
      expect(first.map(({ revision }) => revision)).toEqual(Array.from({ length: 100 }, (_, number) => number));
      expect((await list({ cursor: first.at(-1)?.raw_id })).map(({ revision }) => revision)).toEqual([100, 101]);
      expect(await list({ limit: 10_000 })).toHaveLength(102);
      expect(await admin.error('get_changesets', { repoid, limit: 10_001 })).toBe(
        'Invalid value for `limit`: must be a whole number from 1 to 10000',
      );
    } finally {
      await remote.close();
    }
  });
});
