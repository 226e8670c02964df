import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fastImport } from '../../apps/vcs-worker/src/vcs/testing/feed-git.ts';
import { git, hg, makeRemote, type Remote } from '../harness/remotes.ts';
import { admin, repositoryTypes, uniqueName } from '../harness/shared-cluster.ts';
import { mainBranch, mainReference, someFile } from '../harness/unique-name.ts';
import type { WebClient } from '../harness/web-client.ts';
import { makeVisitor } from '../harness/web-visitor.ts';

const older = 44;
const newer = 11;

/** A line that stays, one that changes, and one of which only the indentation does. */
const textOf = (number: number) => `same\n${number}\n${' '.repeat(number)}indented\n`;

/** Commits `older` changesets; returns their full ids, the oldest first. */
async function commitOlder(type: 'hg' | 'git', { directory }: Remote): Promise<string[]> {
  if (type === 'git') {
    const one = (number: number) => {
      const content = `older ${number}\n`;
      const who = `committer Ann <ann@example.com> ${86_400 + number} +0000`;
      return `commit ${mainReference}\n${who}\ndata 6\nchange\nM 644 inline ${someFile}\ndata ${content.length}\n${content}\n`;
    };
    await fastImport(`${directory}/.git`, Array.from({ length: older }, (_, number) => one(number)).join(''));
    await git(directory, 'reset', '-q', '--hard');
    return (await git(directory, 'rev-list', '--reverse', 'HEAD')).trim().split('\n');
  }
  await hg(directory, 'debugbuilddag', '--new-file', `+${older}`);
  await hg(directory, 'update', '-q', 'tip');
  return (await hg(directory, 'log', '-r', '0:tip', '-T', '{node}\n')).trim().split('\n');
}

/** The name of a git branch or hg bookmark. */
const slashed = 'feature/x';

describe.each(repositoryTypes)('a range of changesets of a %s repository', (type) => {
  let remote: Remote;
  let web: WebClient;
  let name: string;
  let ids: string[];

  beforeAll(async () => {
    ({ web } = await makeVisitor());
    remote = await makeRemote[type]();
    ids = await commitOlder(type, remote);
    for (let number = 0; number < newer; number += 1) {
      ids.push(await remote.commit({ [someFile]: textOf(number), [`file-${number}`]: 'x\n' }, `number ${number} <b>`));
    }
    await (type === 'hg'
      ? hg(remote.directory, 'bookmark', '-r', 'tip', slashed)
      : git(remote.directory, 'branch', slashed));
    name = uniqueName(type);
    await admin.result('create_repo', { repo_name: name, repo_type: type, clone_uri: remote.url });
  });
  afterAll(() => remote.close());

  const show = (range: string) => web.get(`/${name}/changeset/${range}`);
  const id = (number: number) => ids[older + number] ?? '';
  const listed = (text: string) =>
    [...text.matchAll(/<div class="about"><a href="[^"]*\/changeset\/([0-9a-f]{40})"/g)].map(([, rawId]) => rawId);

  it('lists both ends and all changesets between them, the newest first', async () => {
    const { status, text } = await show(`${id(3)}...${id(6)}`);
    expect(status).toBe(200);
    expect(listed(text)).toEqual([id(6), id(5), id(4), id(3)]);
    for (const end of [id(3), id(6)])
      expect(text).toContain(`<a href="/${encodeURI(name)}/changeset/${end}">${end}</a>`);
    expect(text).toContain(`<a href="/${encodeURI(name)}/changelog">changelog</a>`);
  });

  it('shows the changes of each changeset, every file with its own anchor', async () => {
    const { text } = await show(`${id(3)}...${id(5)}`);
    for (const number of [3, 4, 5]) {
      expect(text).toContain(`id="changeset-${id(number).slice(0, 12)}"`);
      expect(text).toContain(`>file-${number}</h3>`);
    }
    const anchors = [...text.matchAll(/<section class="panel diff-file" id="([^"]*)"/g)].map(([, anchor]) => anchor);
    expect(anchors).toEqual(['file-1', 'file-2', 'file-3', 'file-4', 'file-5', 'file-6']);
    expect(text).toContain('number 4 &lt;b&gt;');
    expect(text).not.toContain('<b>');
  });

  it('shows the changes with the options in the address, and links to others', async () => {
    const range = `${id(4)}...${id(5)}`;
    const lines = ({ text }: { text: string }) => text.match(/<tr/g)?.length ?? 0;
    const [plain, bare, spaced] = [
      await show(`${range}?context=3`),
      await show(`${range}?context=0`),
      await show(`${range}?ignorews=1&context=0`),
    ];
    expect(lines(bare)).toBeLessThan(lines(plain));
    expect(bare.text).toContain(
      `href="/${encodeURI(name)}/changeset/${range}?context=0&amp;ignorews=1">Ignore whitespace changes<`,
    );
    expect(spaced.text).toContain(`href="/${encodeURI(name)}/changeset/${range}?context=0">Show whitespace changes<`);
    expect(lines(spaced)).toBeLessThan(lines(bare));
    expect((await show(`${range}?context=x`)).status).toBe(400);
  });

  it('accepts any name of a changeset', async () => {
    const branch = type === 'hg' ? 'default' : mainBranch;
    expect(listed((await show(`${id(9).slice(0, 12)}...${branch}`)).text)).toEqual([id(10), id(9)]);
    const { text } = await show(`${id(9)}...${encodeURIComponent(slashed)}`);
    expect(text).toContain(`<a href="/${encodeURI(name)}/changeset/${encodeURIComponent(slashed)}">${slashed}</a>`);
    expect(listed((await show('0...1')).text)).toEqual([ids[1], ids[0]]);
    expect(listed((await show(`${id(9)}...`)).text)).toEqual([id(10), id(9)]);
    expect(listed((await show('...1')).text)).toEqual([ids[1], ids[0]]);
    expect(listed((await show(`${id(2)}...${id(2)}`)).text)).toEqual([id(2)]);
  });

  it('that is longer has links to the changesets instead of diffs', async () => {
    const ten = await show(`${id(1)}...${id(10)}`);
    expect(ten.text.match(/class="panel diff-file"/g)).toHaveLength(20);
    const { status, text } = await show(`${id(0)}...${id(10)}`);
    expect([status, listed(text).length]).toEqual([200, 11]);
    expect(text).toContain('The range has more than 10 changesets');
    expect(text).not.toContain('diff-file');
  });

  it('is split into pages', async () => {
    const { text } = await show('0...tip');
    const [, next = ''] = /<a href="([^"]*)" rel="next">/.exec(text) ?? [];
    const second = await web.get(next);
    expect([...listed(text), ...listed(second.text)]).toEqual(ids.toReversed());
    expect(second.text).not.toContain('rel="next"');
  });

  it('in reverse order has no changesets, and shows a text', async () => {
    const { status, text } = await show(`${id(6)}...${id(3)}`);
    expect(status).toBe(404);
    expect(text).toContain('the first is newer than the last');
    const [, turned = ''] = /<a href="([^"]*)">Swap them</.exec(text) ?? [];
    expect(listed((await web.get(turned)).text)).toHaveLength(4);
  });

  it.each([
    ['no-such...tip', 'Unknown revision no-such'],
    ['tip...%3Cb%3E', 'Unknown revision &lt;b&gt;'],
    ['0...1...2', 'Unknown revision 0...1...2'],
  ])('%s is an unknown revision', async (range, message) => {
    const { status, text } = await show(range);
    expect(status).toBe(404);
    expect(text).toContain(`<p>${message}</p>`);
    expect(text).toContain(`<h1><a href="/${encodeURI(name)}">`);
  });

  it('of an empty or hidden repository is not found', async () => {
    const [empty, hidden] = [uniqueName('empty'), uniqueName('hidden')];
    await admin.result('create_repo', { repo_name: empty, repo_type: type });
    await admin.result('create_repo', { repo_name: hidden, repo_type: type, private: true });
    const { status, text } = await web.get(`/${empty}/changeset/0...tip`);
    expect([status, text.includes('<p>Empty repository</p>')]).toEqual([404, true]);
    expect((await web.get(`/${hidden}/changeset/0...tip`)).status).toBe(403);
  });
});
