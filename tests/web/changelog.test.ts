import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { git, hg, makeRemote, type Remote } from '../harness/remotes.ts';
import { admin, repositoryTypes, uniqueName } from '../harness/shared-cluster.ts';
import { mainBranch, someFile } from '../harness/unique-name.ts';
import type { WebClient } from '../harness/web-client.ts';
import { makeVisitor } from '../harness/web-visitor.ts';

const feature = uniqueName('feature/x');
const hostileMessage = '<script>alert(1)</script> \u202Eevil\u0007\n\nmore <b>\n\u2066of it';

/** Commits 56 changesets, each with `r` and its number as the message; returns the id of the first. */
async function commitMany(type: 'hg' | 'git', { directory, commit }: Remote): Promise<string> {
  if (type === 'hg') {
    await hg(directory, 'debugbuilddag', '--new-file', '+56');
    await hg(directory, 'update', '-q', 'tip');
    return (await hg(directory, 'log', '-r', '0', '-T', '{node}')).trim();
  }
  const first = await commit({ [someFile]: '0' }, 'r0');
  for (let number = 1; number < 56; number += 1) await commit({ [someFile]: String(number) }, `r${number}`);
  return first;
}

async function branchOff(type: 'hg' | 'git', { directory, commit }: Remote): Promise<void> {
  if (type === 'git') await git(directory, 'checkout', '-q', '-b', feature, 'HEAD~1');
  else {
    await hg(directory, 'update', '-q', 'tip^');
    await hg(directory, 'branch', '-q', feature);
  }
  await commit({ [`side-${someFile}`]: '1' }, 'on the side');
}

async function merge(type: 'hg' | 'git', { directory }: Remote): Promise<void> {
  if (type === 'git') {
    await git(directory, 'checkout', '-q', mainBranch);
    await git(directory, 'merge', '-q', '--no-ff', '-m', 'merged', feature);
    return;
  }
  await hg(directory, 'update', '-q', 'default');
  await hg(directory, 'merge', '-q', feature);
  await hg(directory, 'commit', '-q', '-m', 'merged', '-u', 'Ann');
}

async function commitAs(type: 'hg' | 'git', { directory }: Remote, author: string, message: string): Promise<void> {
  if (type === 'git') {
    await git(directory, 'commit', '-q', '--allow-empty', `--author=${author}`, '-m', message);
    return;
  }
  await hg(directory, 'branch', '-q', '-f', 'other');
  await hg(directory, 'commit', '-q', '-u', author, '-m', message);
}

function abouts(text: string): (string | undefined)[] {
  return [...text.matchAll(/<div class="about"><a [^>]*>(.*?)<\/a>/g)].map(([, about]) => about);
}

describe.each(repositoryTypes)('the changelog of a %s repository', (type) => {
  let remote: Remote;
  let web: WebClient;
  let first: string;
  const name = `${uniqueName('group')}/${uniqueName(type)}`;

  beforeAll(async () => {
    ({ web } = await makeVisitor());
    remote = await makeRemote[type]();
    first = await commitMany(type, remote);
    await branchOff(type, remote);
    await merge(type, remote);
    await commitAs(type, remote, 'Eve \u202E"<i>" <eve@example.com>', hostileMessage);
    await admin.result('create_repo', { repo_name: name, repo_type: type, clone_uri: remote.url });
  });
  afterAll(() => remote.close());

  it('shows the newest changesets first, fifty a page, all of them over its pages', async () => {
    const pages: string[] = [];
    for (let path: string | undefined = `/${encodeURI(name)}/changelog?branch=`; path !== undefined;) {
      const { status, text } = await web.get(path);
      expect(status).toBe(200);
      pages.push(text);
      path = /href="([^"]*)" rel="next"/.exec(text)?.[1]?.replaceAll('&amp;', '&');
    }
    const shown = pages.map(abouts);
    expect(shown.map(({ length }) => length)).toEqual([50, 9]);
    expect(shown[0]?.[1]).toBe('merged');
    expect(shown[1]?.at(-1)).toBe('r0');
    expect(new Set(shown.flat()).size).toBe(59);
    expect(pages[1]).toContain(`href="/${encodeURI(name)}/files/${first}"`);
  });

  it('escapes texts of changesets visibly, and shows the rest of a message on a click', async () => {
    const { text } = await web.get(`/${name}/changelog?branch=`);
    expect(abouts(text)[0]).toBe('&lt;script&gt;alert(1)&lt;/script&gt; \\u{202E}evil␇');
    expect(text).toContain('<p class="message">more &lt;b&gt;\n\\u{2066}of it</p>');
    expect(text).toMatch(/<span class="author">Eve \\u\{202E\}/);
    expect(text).not.toMatch(/<script|\u202E|\u2066|<i>/);
  });

  it('draws a graph with a second column for merged changesets', async () => {
    const { text } = await web.get(`/${name}/changelog?branch=`);
    expect(text.match(/<svg class="graph" width="28"/g)).toHaveLength(50);
  });

  it('shows the exact time of each changeset', async () => {
    const { text } = await web.get(`/${name}/changelog?branch=`);
    expect(text.match(/<time [^>]*title="\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC"/g)).toHaveLength(50);
  });

  it('shows the branch of a changeset', async () => {
    const { text } = await web.get(`/${name}/changelog?branch=`);
    expect(text).toContain(`<span class="kind">branch</span> ${feature}</span>`);
  });

  it('shows one branch alone, also over pages', async () => {
    const { text } = await web.get(`/${name}/changelog?branch=${encodeURIComponent(feature)}`);
    expect(text).toContain(`<option value="${feature}" selected="">`);
    expect(abouts(text)[0]).toBe('on the side');
    expect(text).not.toContain('>r55<');
    // A branch of git has the changesets before its first own one, too.
    const next = new RegExp(`href="[^"]*\\?branch=${encodeURIComponent(feature)}&amp;cursor=[0-9a-f]{40}" rel="next"`);
    const hasNext = next.test(text);
    expect([hasNext, abouts(text).length > 1]).toEqual([type === 'git', type === 'git']);
  });

  it('answers 404 for an unknown branch', async () => {
    const { status, text } = await web.get(`/${name}/changelog?branch=${encodeURIComponent('<b>\u202E')}`);
    expect(status).toBe(404);
    expect(text).toContain('There is no branch “&lt;b&gt;\\u{202E}”.');
    expect((await web.get(`/${name}/changelog?branch=constructor`)).status).toBe(404);
  });

  it('refuses an invalid cursor', async () => {
    expect((await web.get(`/${name}/changelog?cursor=x`)).status).toBe(400);
    expect((await web.get(`/${name}/changelog?cursor=${'1'.repeat(40)}`)).status).toBe(422);
    expect((await web.get(`/${name}/changelog/more`)).status).toBe(404);
  });
});
