import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { git, hg, makeRemote, type Remote } from '../harness/remotes.ts';
import { admin, makeRepository, repositoryTypes, uniqueName } from '../harness/shared-cluster.ts';
import { mainBranch } from '../harness/unique-name.ts';
import type { WebClient } from '../harness/web-client.ts';
import { makeVisitor } from '../harness/web-visitor.ts';

const feature = 'feature/x';

describe.each(repositoryTypes)('comparisons in a %s repository', (type) => {
  let remote: Remote;
  let web: WebClient;
  const name = `${uniqueName('group')}/${uniqueName(type)}`;
  const base = `/${encodeURI(name)}`;
  const main = type === 'git' ? mainBranch : 'default';
  const ids: Record<'base' | 'main' | 'first' | 'second', string> = { base: '', main: '', first: '', second: '' };

  beforeAll(async () => {
    ({ web } = await makeVisitor());
    remote = await makeRemote[type]();
    const { directory, commit } = remote;
    ids.base = await commit({ file: 'same\n1\n', other: 'x\n' }, 'the base');
    ids.main = await commit({ other: 'y\n' }, 'only main');
    await (type === 'git'
      ? git(directory, 'switch', '-q', '-c', feature, ids.base)
      : hg(directory, 'update', '-q', ids.base).then(() => hg(directory, 'branch', '-q', feature)));
    ids.first = await commit({ file: 'same\n2\n' }, 'first <b>');
    ids.second = await commit({ file: 'same\n3\n', 'v1.0 <i>': 'x\n' }, 'second <b>');
    await (type === 'git'
      ? git(directory, 'tag', 'v1.0', ids.second)
      : hg(directory, 'bookmark', '-r', ids.second, 'v1.0'));
    await admin.result('create_repo', { repo_name: name, repo_type: type, clone_uri: remote.url });
  });
  afterAll(() => remote.close());

  const show = async (path: string) => {
    const { status, text } = await web.get(`${base}/${path}`);
    return { status, text };
  };
  const listed = (text: string) =>
    [...text.matchAll(/<div class="about"><a href="[^"]*\/changeset\/([0-9a-f]{40})"/g)].map(([, rawId]) => rawId);
  const kind = type === 'git' ? 'tag' : 'book';

  it.each([
    ['compare', `${main}...${feature}`],
    ['compare', `branch@${main}...branch@${feature}`],
    ['compare', `branch@${main}...${kind}@v1.0`],
    ['compare', `${main}..v1.0`],
    ['changeset', `${main}...${feature}`],
    ['changeset', `${main}..${feature}`],
    ['compare', encodeURIComponent(`${main}...${feature}`)],
  ])('%s/%s lists what only the second side has, and the difference from the common ancestor', async (page, range) => {
    const { status, text } = await show(`${page}/${range}`);
    expect(status).toBe(200);
    expect(listed(text)).toEqual([ids.second, ids.first]);
    expect(text.replaceAll(/<[^>]*>/g, '')).toMatch(/is 2 changesets ahead of \S+, and 1 changeset behind/);
    expect(text).toContain(`<a class="mono" href="${base}/changeset/${ids.base}">`);
    expect(text).toContain('2 files');
    expect(text).toContain('v1.0 &lt;i&gt;');
    expect(text).not.toMatch(/<b>|<i>/);
    expect(text.match(/class="panel diff-file"/g)).toHaveLength(2);
  });

  it('have a link to the two sides swapped', async () => {
    const { text } = await show(`compare/${main}...${feature}`);
    const [, swapped = ''] = /<a href="([^"]*)">Swap sides</.exec(text) ?? [];
    expect(listed((await web.get(swapped)).text)).toEqual([ids.main]);
  });

  it('say when there is nothing to compare, and when the second side has nothing', async () => {
    const same = await show(`compare/${feature}...${ids.second}`);
    expect([same.status, same.text.includes('There is nothing to compare')]).toEqual([200, true]);
    const behind = await show(`compare/${feature}...${ids.base}`);
    expect(listed(behind.text)).toEqual([]);
    expect(behind.text.replaceAll(/<[^>]*>/g, '')).toContain(`${ids.base} has nothing that ${feature} has not.`);
    expect(behind.text).not.toContain('diff-file');
  });

  it.each(['changeset-diff', 'raw-changeset', 'changeset-download'])('%s sends the same difference', async (page) => {
    const { status, text } = await show(`${page}/${main}...${feature}`);
    expect(status).toBe(200);
    expect(text).toContain('\n-1\n+3\n');
    expect(text).not.toContain('other');
    expect((await show(`${page}/${main}..v1.0`)).text).toBe(text);
  });

  it('begin with a form that offers references by their full names', async () => {
    const { status, text } = await show('compare');
    expect(status).toBe(200);
    const full = type === 'git' ? `refs/heads/${feature}` : `branch:${feature}`;
    expect(text).toContain(`<option value="${full}">${feature}</option>`);
    const query = new URLSearchParams({ from: main, to: full, other_repo: '' });
    const { status: sent, headers } = await web.get(`${base}/compare?${query.toString()}`);
    expect([sent, headers.get('location')]).toEqual([
      303,
      `${base}/compare/${encodeURIComponent(`${main}...${full}`)}`,
    ]);
    expect(listed((await web.get(headers.get('location') ?? '')).text)).toHaveLength(2);
  });

  it.each([
    ['compare/no-such...tip', 404, 'Unknown revision no-such'],
    ['compare/tip...%3Cb%3E', 404, 'Unknown revision &lt;b&gt;'],
    ['changeset/0...1...2', 404, 'Unknown revision 0...1...2'],
    ['compare/0...tip?cursor=x', 404, 'There is no such page'],
    ['compare/0...tip?context=x', 400, 'Context lines'],
    ['compare/--output=x...tip', 404, 'Unknown revision --output=x'],
  ])('%s is refused', async (path, expected, message) => {
    const { status, text } = await show(path);
    expect([status, text.includes(message)]).toEqual([expected, true]);
    expect(text).toContain(`<h1><a href="`);
  });

  describe('with a fork', () => {
    const fork = uniqueName('fork');
    let own = '';

    beforeAll(async () => {
      await remote.commit({ file: 'same\n4\n' }, 'later in the source');
      await admin.result('fork_repo', { repoid: name, fork_name: fork });
      // The fork gets what its source has not.
      await admin.result('update_repo', { repoid: fork, clone_uri: remote.url });
      await admin.result('pull', { repoid: fork });
      own = (await admin.result<{ raw_id: string }>('get_changeset', { repoid: fork, revision: 'tip' })).raw_id;
    });

    it('list what the fork has, with links into it', async () => {
      const { status, text } = await show(`compare/${feature}...${feature}?other_repo=${encodeURIComponent(fork)}`);
      expect([status, listed(text)]).toEqual([200, [own]]);
      expect(text).toContain(`href="/${encodeURI(fork)}/changeset/${own}"`);
      expect(text).toContain(`href="/${encodeURI(fork)}/changeset/${ids.second}"`);
      const [, swapped = ''] = /<a href="([^"]*)">Swap sides</.exec(text) ?? [];
      expect((await web.get(swapped.replaceAll('&amp;', '&'))).text.replaceAll(/<[^>]*>/g, '')).toContain(
        '0 changesets ahead',
      );
      const raw = await show(`changeset-diff/${feature}...${feature}?target_repo=${encodeURIComponent(fork)}`);
      expect(raw.text).toContain('\n-3\n+4\n');
    });

    it('B10 answer the same for a fork that may not be read and for none', async () => {
      const hidden = await makeRepository(type, { private: true });
      const missing = uniqueName('missing');
      for (const page of ['compare', 'changeset', 'changeset-diff', 'changeset-download']) {
        const ask = (other: string) => show(`${page}/${main}...tip?other_repo=${encodeURIComponent(other)}`);
        const [told, expected] = [await ask(hidden), await ask(missing)];
        const renamed = told.text.replaceAll(hidden, missing);
        expect([told.status, renamed.replaceAll(encodeURIComponent(hidden), encodeURIComponent(missing))]).toEqual([
          expected.status,
          expected.text,
        ]);
        expect([403, 404]).toContain(expected.status);
      }
    });

    it('refuse a repository of the other system', async () => {
      const other = await makeRepository(type === 'git' ? 'hg' : 'git');
      const { status, text } = await show(`compare/${main}...tip?other_repo=${encodeURIComponent(other)}`);
      expect([status, text.includes('one is of git, one of Mercurial')]).toEqual([409, true]);
    });
  });
});
