import { chmod, mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { byForm } from '../harness/long-form.ts';
import { git, hg, makeRemote, type Remote } from '../harness/remotes.ts';
import { admin, repositoryTypes, uniqueName } from '../harness/shared-cluster.ts';
import type { WebClient } from '../harness/web-client.ts';
import { makeVisitor } from '../harness/web-visitor.ts';
import { author, mainBranch, someFile } from '../harness/unique-name.ts';

const lines = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`);
const changed = lines.with(14, 'line fifteen <b>').with(15, 'line 16\u202E');

describe.each(repositoryTypes)('a changeset of a %s repository', (type) => {
  let remote: Remote;
  let web: WebClient;
  let name: string;
  const ids = { first: '', second: '', merge: '', side: '' };

  async function moved(): Promise<string> {
    const at = (file: string) => join(remote.directory, file);
    await rename(at('old name.txt'), at('new <name>.txt'));
    if (type === 'hg') await hg(remote.directory, 'rename', '--after', 'old name.txt', 'new <name>.txt');
    await chmod(at('tool.sh'), 0o755);
    return remote.commit(
      { 'text.txt': `${changed.join('\n')}\n`, 'data.bin': 'a\0b', empty: '' },
      'Change <i>much</i>\r\n\r\nin \u202Eways\n\tthat\u0007 show',
    );
  }

  async function merged(): Promise<string> {
    const { directory, commit } = remote;
    if (type === 'git') {
      await git(directory, 'checkout', '-q', '-b', 'side', ids.first);
      ids.side = await commit({ [`side-${someFile}`]: '1\n' }, 'side');
      await git(directory, 'checkout', '-q', mainBranch);
      await git(directory, 'merge', '-q', '--no-ff', '-m', 'merged', 'side');
      return (await git(directory, 'rev-parse', 'HEAD')).trim();
    }
    await hg(directory, 'update', '-q', ids.first);
    ids.side = await commit({ [`side-${someFile}`]: '1\n' }, 'side');
    await hg(directory, 'update', '-q', ids.second);
    await hg(directory, 'merge', '-q', ids.side);
    await hg(directory, 'commit', '-q', '-m', 'merged', '-u', 'Ann');
    return (await hg(directory, 'log', '-r', 'tip', '-T', '{node}')).trim();
  }

  async function publish(): Promise<string> {
    const repo_name = `${uniqueName('group')}/${uniqueName(type)}`;
    await admin.result('create_repo', { repo_name, repo_type: type, clone_uri: remote.url });
    return repo_name;
  }

  beforeAll(async () => {
    ({ web } = await makeVisitor());
    remote = await makeRemote[type]();
    ids.first = await remote.commit({
      ...{ 'text.txt': `${lines.join('\n')}\n`, 'old name.txt': 'the same\nas before\n', 'tool.sh': 'true\n' },
      'spaces.txt': 'a b\n',
    });
    ids.second = await moved();
    ids.merge = await merged();
    name = await publish();
  });
  afterAll(() => remote.close());

  const show = (id: string, query = '') => web.get(`/${name}/changeset/${id}${query}`);

  it('shows all its data', async () => {
    const { status, text } = await show(ids.second);
    expect(status).toBe(200);
    expect(text).toContain(`<span class="mono">${ids.second}</span>`);
    expect(text).toContain(`href="/${encodeURI(name)}/changeset/${ids.first}">${ids.first}</a>`);
    expect(text).toContain(author.full.replace('<', '&lt;').replace('>', '&gt;'));
    expect(text).toMatch(/<dd>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC /);
    expect(text).toContain('<h2 class="subject">Change &lt;i&gt;much&lt;/i&gt;</h2>');
    expect(text).toContain('<p class="message">in \\u{202E}ways\n\tthat␇ show</p>');
    expect(text).not.toMatch(/\u202E|<i>/);
    expect(text.includes('<dt>Branch</dt>')).toBe(type === 'hg');
  });

  it('lists its files with counts, each linked to its part of the diff', async () => {
    const { text } = await show(ids.second);
    const rows = [...text.matchAll(/<tr><td class="soft">(\w+)<\/td><th[^>]*><a href="#(file-\d)">(.*?)<\/a>/g)];
    expect(rows.map(([, change, , path]) => [change, path])).toEqual([
      ['added', 'data.bin'],
      ['added', 'empty'],
      ['renamed', 'new &lt;name&gt;.txt'],
      ['changed', 'text.txt'],
      ['mode', 'tool.sh'],
    ]);
    for (const [, , anchor] of rows) expect(text).toContain(`<section class="panel diff-file" id="${anchor}"`);
    expect(text).toContain('<h2 id="files">5 files</h2><span class="line-counts"><span class="added">+2</span>');
  });

  it('shows lines with both numbers, and marks changes within them', async () => {
    const { text } = await show(ids.second);
    const cell = (side: string, number: string) => {
      if (number === '') return '<td class="at"></td>';
      const id = `file-4-${side}${number}`;
      return `<td class="at" id="${id}"><a href="#${id}">${number}</a></td>`;
    };
    const row = (kind: string, one: string, other: string, line: string) =>
      `<tr class="diff-${kind}">${cell('L', one)}${cell('R', other)}<td class="line">${line}</td></tr>`;
    expect(text).toContain(row('context', '14', '14', 'line 14'));
    expect(text).toContain(row('removed', '15', '', 'line <mark>15</mark>'));
    expect(text).toContain(row('added', '', '15', 'line <mark>fifteen &lt;b&gt;</mark>'));
    expect(text).toContain(row('added', '', '16', 'line 16<mark>\\u{202E}</mark>'));
  });

  it('names changes that cannot be shown as lines', async () => {
    const { text } = await show(ids.second);
    const notes = [...text.matchAll(/<p class="note">(.*?)<\/p>/g)].map(([, note]) => note);
    expect(notes).toEqual(['Binary file, 3 B', 'Empty file', 'Renamed from old name.txt', 'Mode 100644 → 100755']);
  });

  it('of a merge shows both parents, and the changes against the first', async () => {
    const { text } = await show(ids.merge);
    const [, list = ''] = /<dt>Parents<\/dt>(.*?)<\/dd>/s.exec(text) ?? [];
    expect([...list.matchAll(/>([0-9a-f]{40})</g)].map(([, id]) => id)).toEqual([ids.second, ids.side]);
    expect(text).toContain('This is a merge. The diff compares it with its first parent.');
    expect(text.match(/class="panel diff-file"/g)).toHaveLength(1);
    expect(text).toContain(`side-${someFile}</h3>`);
  });

  it('of a merge shows the changes against another parent when asked, and keeps to it in its links', async () => {
    const { text } = await show(ids.merge, '?parent=2');
    expect(text).toContain('The diff compares it with its second parent.');
    expect(text).not.toContain(`side-${someFile}</h3>`);
    expect(text.match(/class="panel diff-file"/g)).toHaveLength(5);
    expect(text).toContain('<h2 id="files">5 files</h2>');
    expect(text).toContain(`/changeset/${ids.merge}?view=split&amp;parent=2">Side by side<`);
    expect(text).toContain(`/changeset-diff/${ids.merge}?parent=2"`);
    for (const parent of ['3', '99']) expect((await show(ids.merge, `?parent=${parent}`)).status).toBe(404);
    expect((await show(ids.merge, '?parent=x')).status).toBe(400);
  });

  it('links to the changesets before and after it, with their subjects', async () => {
    const { text } = await show(ids.second);
    const path = `/${encodeURI(name)}/changeset`;
    expect(text).toContain(`<a href="${path}/${ids.first}" rel="prev">`);
    expect(text).toContain(`<a href="${path}/${ids.merge}" rel="next">`);
    expect(text).toMatch(new RegExp(`<dt>Child</dt><dd>.*?${ids.merge}</a> merged`));
    const first = await show(ids.first);
    expect(first.text).not.toContain('rel="prev"');
    // It has two children, of which neither is the next one.
    expect(first.text).not.toContain('rel="next"');
    expect(first.text).toMatch(/<dt>Children<\/dt>/);
  });

  it('shows lines before and after the change side by side when asked, and keeps to it', async () => {
    const { text } = await show(ids.second, '?view=split&context=6');
    const cells = (side: string, kind: string, line: string) =>
      `id="file-4-${side}15"><a href="#file-4-${side}15">15</a></td><td class="line diff-${kind}">${line}</td>`;
    const [before, after] = [
      cells('L', 'removed', 'line <mark>15</mark>'),
      cells('R', 'added', 'line <mark>fifteen &lt;b&gt;</mark>'),
    ];
    expect(text).toContain(`${before}<td class="at diff-added" ${after}`);
    expect(text).toContain(`href="/${encodeURI(name)}/changeset/${ids.second}?context=6">Unified<`);
    expect(text).toContain(
      `href="/${encodeURI(name)}/changeset/${ids.second}?context=12&amp;view=split">More context<`,
    );
    expect(text).toContain(`href="/${encodeURI(name)}/changeset-diff/${ids.second}?context=6"`);
  });

  it('shows one file alone, by its path after the change, with the files beside it', async () => {
    const { text: all } = await show(ids.second);
    const renamed = 'file=new+%3Cname%3E.txt&amp;from=old+name.txt';
    const href = `/${encodeURI(name)}/changeset/${ids.second}?${renamed}`;
    expect(all).toContain(`href="${href}" aria-describedby="file-3-name">Only this file<`);
    const { status, text } = await show(ids.second, `?${renamed.replace('&amp;', '&')}`);
    expect([status, text.match(/class="panel diff-file"/g)?.length]).toEqual([200, 1]);
    expect(text).toContain('<p class="note">Renamed from old name.txt</p>');
    for (const other of ['empty', 'text.txt']) expect(text).toContain(`?file=${other}"`);
    const raw = await web.get(`/${name}/changeset-diff/${ids.second}?${renamed.replace('&amp;', '&')}`);
    expect(raw.text.match(/^diff --git /gm)).toHaveLength(1);
    const none = await show(ids.second, '?file=%3Cb%3Enone');
    expect(none.status).toBe(404);
    expect(none.text).toContain('no change of &lt;b&gt;none');
  });

  it('links each file to what it was before and is now, and to its history', async () => {
    const { text } = await show(ids.second);
    const path = `/${encodeURI(name)}`;
    const encoded = 'new%20%3Cname%3E.txt';
    expect(text).toContain(`href="${path}/files/${ids.second}/${encoded}"`);
    expect(text).toContain(`href="${path}/files/${ids.first}/old%20name.txt"`);
    expect(text).toContain(`href="${path}/changelog/${ids.second}/${encoded}"`);
    expect(text).toContain('<span class="soft">old name.txt → </span>new &lt;name&gt;.txt</h3>');
  });

  it('shows images before and after the change', async () => {
    const [red, blue] = ['\0red', '\0blue'];
    await remote.commit({ 'a <b>.png': red, 'p.svg': '<svg onload="x()"/>\n' }, 'red');
    const id = await remote.commit({ 'a <b>.png': blue, 'p.svg': '<svg onload="y()"/>\n' }, 'blue');
    name = await publish();
    const { text } = await show(id);
    const images = [...text.matchAll(/<img src="([^"]*)" alt="(Before|After)"/g)].map(([, src = '', alt]) => ({
      src,
      alt,
    }));
    expect(images.map(({ alt }) => alt)).toEqual(['Before', 'After', 'Before', 'After']);
    const bodies = await Promise.all(images.slice(0, 2).map(async ({ src }) => (await web.get(src)).text));
    expect(bodies).toEqual([red, blue]);
    const { headers } = await web.get(images[3]?.src ?? '');
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none';.* sandbox/);
    expect(text).not.toContain('<svg onload');
  });

  it('with a large file shows the files after it, and folds what is large, removed or generated', async () => {
    const large = Array.from({ length: 40_000 }, (_, index) => `number ${index}`).join('\n');
    const id = await remote.commit(
      { 'a-large.txt': `${large}\n`, 'b-small.js': 'const b = 1;\n', 'yarn.lock': 'x\n' },
      'large',
    );
    name = await publish();
    const { text } = await show(id);
    const panels = text.split('<section class="panel diff-file"').slice(1);
    expect(panels.map((panel) => /<details( open="")?>/.exec(panel)?.[1] !== undefined)).toEqual([false, true, false]);
    expect(panels[0]).toContain('<span class="added">+40000</span>');
    expect(panels[0]).toContain('Only some of the changes to this file are shown');
    expect(panels[1]).toContain('<span class="hljs-keyword">const</span> b');
    expect(text).not.toContain('too large to be shown in full');
    const alone = await show(id, '?file=a-large.txt');
    expect(alone.text).toContain('number 14000');
    expect(alone.text).toContain('Only some of the changes to this file are shown. See <a');
    expect(alone.text.length).toBeLessThan(8 * 1_024 * 1_024);
  });

  it('shows the requested number of context lines, and keeps it in its links', async () => {
    const usual = await show(ids.second);
    expect(usual.text.match(/class="diff-context"/g)).toHaveLength(6);
    const wide = await show(ids.second, '?context=6&ignorews=1');
    expect(wide.text.match(/class="diff-context"/g)).toHaveLength(12);
    for (const page of ['changeset-diff', 'changeset-patch', 'changeset-download']) {
      const href = `/${encodeURI(name)}/${page}/${ids.second}?context=6&ignorews=1`;
      expect(wide.text).toContain(`href="${href.replace('&', '&amp;')}"`);
      expect((await web.get(href)).status).toBe(200);
    }
    expect(wide.text).toContain(`href="/${encodeURI(name)}/changeset/${ids.second}?context=12&amp;ignorews=1"`);
    expect((await show(ids.second, '?context=x')).status).toBe(400);
  });

  it('omits changes of white space when asked', async () => {
    const id = await remote.commit({ 'spaces.txt': 'a   b\n' });
    name = await publish();
    expect((await show(id)).text).toContain('class="diff-added"');
    const { status, text } = await show(id, '?ignorews=1');
    expect(status).toBe(200);
    expect(text).not.toContain('class="diff-added"');
    expect(text).toContain('spaces.txt');
  });

  it('is found by each of its names, and by no other', async () => {
    for (const revision of [ids.first.slice(0, 12), 'tip', type === 'hg' ? 'default' : mainBranch]) {
      expect((await show(revision)).status).toBe(200);
    }
    for (const revision of ['no%2Fsuch', 'f'.repeat(40), '-r', '%3Cb%3E']) {
      const { status, text } = await show(revision);
      expect([revision, status]).toEqual([revision, 404]);
      expect(text).not.toContain('<b>');
    }
    expect((await show(ids.first, '/more')).status).toBe(404);
  });

  it('of thousands of files is shown in part, with a note', async () => {
    const many = join(remote.directory, 'many');
    await mkdir(many);
    const files = byForm(1_200, 3_000);
    for (let index = 0; index < files; index += 1) await writeFile(join(many, String(index)), `${index}\n`);
    const id = await remote.commit({}, 'many');
    name = await publish();
    const { status, text } = await show(id);
    expect(status).toBe(200);
    expect(text).toContain(`>${files} files</h2>`);
    expect(text).toContain(`${files - 1_000} more files are not listed`);
    expect(text.match(/class="panel diff-file"/g)).toHaveLength(300);
    expect(text).toContain(
      `The rest of the diff is left out. See the <a href="/${encodeURI(name)}/changeset-diff/${id}">whole diff</a>`,
    );
    expect(text).toContain(`>${files - 300} files are not shown</h2>`);
    const [other] = text.match(/\?file=many%2F9\d*/) ?? [];
    expect((await show(id, other)).text.match(/class="panel diff-file"/g)).toHaveLength(1);
    expect(text.length).toBeLessThan(1_500_000);
  });

  it('with a line of megabytes is shown in part, with a note', async () => {
    const id = await remote.commit({ 'a-first': 'short\n', 'b-long': `${'<'.repeat(5_000_000)}\n` }, 'long');
    name = await publish();
    const { status, text } = await show(id);
    expect(status).toBe(200);
    expect(text).toContain('<td class="line">short</td>');
    expect(text).toContain('<span class="badge">cut off</span>');
    expect(text).not.toContain('The rest of the diff is left out');
    expect(text.length).toBeLessThan(100_000);
  });
});
