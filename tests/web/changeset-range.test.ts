import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fastImport } from '../../apps/vcs-worker/src/vcs/testing/feed-git.ts';
import { git, hg, makeRemote, type Remote } from '../harness/remotes.ts';
import { admin, repositoryTypes, uniqueName } from '../harness/shared-cluster.ts';
import { mainReference, someFile } from '../harness/unique-name.ts';
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

describe.each(repositoryTypes)('a range of changesets of a %s repository, with one end', (type) => {
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
    name = uniqueName(type);
    await admin.result('create_repo', { repo_name: name, repo_type: type, clone_uri: remote.url });
  });
  afterAll(() => remote.close());

  const show = (range: string) => web.get(`/${name}/changeset/${range}`);
  const id = (number: number) => ids[older + number] ?? '';
  const listed = (text: string) =>
    [...text.matchAll(/<div class="about"><a href="[^"]*\/changeset\/([0-9a-f]{40})"/g)].map(([, rawId]) => rawId);

  it('goes to the newest or from the oldest changeset, the newest first', async () => {
    const { status, text } = await show(`${id(7)}...`);
    expect(status).toBe(200);
    expect(listed(text)).toEqual([id(10), id(9), id(8), id(7)]);
    expect(text).toContain(`<a href="/${encodeURI(name)}/changeset/${id(7)}">${id(7)}</a>`);
    expect(text).toContain(`<a href="/${encodeURI(name)}/changelog">changelog</a>`);
    expect(listed((await show('...1')).text)).toEqual([ids[1], ids[0]]);
  });

  it('shows the changes of each changeset, every file with its own anchor', async () => {
    const { text } = await show(`${id(8)}...`);
    for (const number of [8, 9, 10]) {
      expect(text).toContain(`id="changeset-${id(number).slice(0, 12)}"`);
      expect(text).toContain(`>file-${number}</h3>`);
    }
    const anchors = [...text.matchAll(/<section class="panel diff-file" id="([^"]*)"/g)].map(([, anchor]) => anchor);
    expect(anchors).toEqual(['file-1', 'file-2', 'file-3', 'file-4', 'file-5', 'file-6']);
    expect(text).toContain('number 9 &lt;b&gt;');
    expect(text).not.toContain('<b>');
  });

  it('shows the changes with the options in the address, and links to others', async () => {
    const range = `${id(9)}...`;
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

  it('that is longer has links to the changesets instead of diffs', async () => {
    const ten = await show(`${id(1)}...`);
    expect(ten.text.match(/class="panel diff-file"/g)).toHaveLength(20);
    const { status, text } = await show(`${id(0)}...`);
    expect([status, listed(text).length]).toEqual([200, 11]);
    expect(text).toContain('The range has more than 10 changesets');
    expect(text).not.toContain('diff-file');
  });

  it('is split into pages', async () => {
    const { text } = await show('0...');
    const [, next = ''] = /<a href="([^"]*)" rel="next">/.exec(text) ?? [];
    const second = await web.get(next);
    expect([...listed(text), ...listed(second.text)]).toEqual(ids.toReversed());
    expect(second.text).not.toContain('rel="next"');
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
    const { status, text } = await web.get(`/${empty}/changeset/0...`);
    expect([status, text.includes('<p>Empty repository</p>')]).toEqual([404, true]);
    expect((await web.get(`/${hidden}/changeset/0...`)).status).toBe(403);
  });
});
