import { chmod, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeRemote, type Remote } from '../harness/remotes.ts';
import { admin, makeRepository, repositoryTypes, uniqueName } from '../harness/shared-cluster.ts';
import { mainReference } from '../harness/unique-name.ts';
import type { WebClient } from '../harness/web-client.ts';
import { makeVisitor } from '../harness/web-visitor.ts';
import { files, finish, hostile, odd, png } from './shown-files.ts';

function hrefs(text: string): string[] {
  return [...text.matchAll(/href="([^"]*)"/g)].map(([, href = '']) => href);
}

describe.each(repositoryTypes)('files of a %s repository', (type) => {
  let remote: Remote;
  let web: WebClient;
  let name: string;
  let id: number;
  let first: string;

  beforeAll(async () => {
    ({ web } = await makeVisitor());
    remote = await makeRemote[type]();
    first = await remote.commit(files, 'the first');
    const at = (file: string) => join(remote.directory, file);
    await chmod(at('tool.sh'), 0o755);
    await symlink('src/main.py', at('link'));
    await writeFile(at('picture.png'), png);
    await writeFile(Buffer.from(`${at('bad-\xff')}.bin`, 'latin1'), 'bad');
    await finish[type](remote.directory);
    name = `${uniqueName('group')}/${uniqueName(type)}`;
    const args = { repo_name: name, repo_type: type, clone_uri: remote.url };
    ({
      repo: { repo_id: id },
    } = await admin.result<{ repo: { repo_id: number } }>('create_repo', args));
  });
  afterAll(() => remote.close());

  const show = async (path: string) => {
    const { status, text } = await web.get(`/${name}/files/${path}`);
    expect([path, status]).toEqual([path, 200]);
    return text;
  };

  it('shows the root at the landing revision, or at that of the address', async () => {
    const { text } = await web.get(`/${name}/files`);
    expect(text).toContain('the second &lt;b&gt;');
    const full = type === 'git' ? mainReference : 'branch:default';
    expect(hrefs(text)).toContain(`/${encodeURI(name)}/files/${encodeURIComponent(full)}/src`);
    expect(text).toContain('<bdi aria-current="page">');
    expect(await show(first)).toContain('the first');
    expect(await show('tip')).toMatch(/Directory <\/span><a href="[^"]*\/files\/tip\/docs">docs</);
  });

  it('links from directory to directory to a file, and back by the names above', async () => {
    const text = await show('tip/src/deep');
    expect(hrefs(text)).toContain(`/${encodeURI(name)}/files/tip/src/deep/er`);
    const file = await show('tip/src/deep/er/x.txt');
    const above = hrefs(file.slice(file.indexOf('class="breadcrumb"'), file.indexOf('</ol>')));
    expect(above).toEqual(
      ['', '/src', '/src/deep', '/src/deep/er'].map((end) => `/${encodeURI(name)}/files/tip${end}`),
    );
    for (const href of above) expect((await web.get(href)).status).toBe(200);
  });

  it('colours a file whose lines can be linked to', async () => {
    const text = await show('tip/src/main.py');
    expect(text).toContain(
      '<span class="line" id="L1"><a href="?lines=1#L1">1</a><span class="hljs-keyword">def</span>',
    );
    expect(text).toContain('id="L2"');
    expect(text).not.toContain('id="L3"');
    expect(text).toContain('&quot;&lt;b&gt;&quot;');
    expect(text).toContain('2 lines');
  });

  it('colours a program by its first line', async () => {
    const text = await show('tip/tool');
    expect(text).toContain('<span class="hljs-keyword">def</span>');
    expect(text).toContain('<span>Python</span>');
  });

  it('marks lines that the address names, and keeps them in the permanent link', async () => {
    const { text } = await web.get(`/${name}/files/tip/README.md?lines=1-2`);
    expect(text.match(/class="line marked"/g)).toHaveLength(2);
    expect(text).toMatch(/href="\/_\d+\/files\/[0-9a-f]{40}\/README\.md\?lines=1-2#L1">Permanent link/);
    const single = (await web.get(`/${name}/files/tip/src/main.py?lines=2`)).text;
    expect(hrefs(single)).toContain('?lines=1-2#L1');
    for (const bad of ['0', 'x', '<b>', '9999999', '2-1-1']) {
      const { status, text: ignored } = await web.get(
        `/${name}/files/tip/src/main.py?lines=${encodeURIComponent(bad)}`,
      );
      expect([bad, status, ignored.includes('marked')]).toEqual([bad, 200, false]);
    }
  });

  it('shows separated values as a table, and their source when asked', async () => {
    const text = await show('tip/data/people.csv');
    expect(text).toContain('<td>Lee; &lt;b&gt;Ann&lt;/b&gt;</td><td>7</td>');
    const source = await show('tip/data/people.csv?plain=1');
    expect(source).toContain('id="L2"');
    expect(source).toContain('>Rendered</a>');
  });

  it('shows a notebook as cells, and the source of a file that is none', async () => {
    const text = await show('tip/notes/one.ipynb');
    expect(text).toContain('<h1 id="doc-one">One<');
    expect(hrefs(text)).toContain(`/${encodeURI(name)}/files/tip/docs/guide.md`);
    expect(await show('tip/notes/none.ipynb')).toContain('id="L1"');
  });

  it('leads from a symbolic link to its target', async () => {
    expect(await show('tip/link')).toContain(
      `Symbolic link to <a href="/${encodeURI(name)}/files/tip/src/main.py"><code>src/main.py</code></a>`,
    );
  });

  it('links every action for a file, and each link works', async () => {
    const text = await show('tip/src/main.py');
    const { raw_id: tip } = await admin.result<{ raw_id: string }>('get_changeset', { repoid: name, revision: 'tip' });
    const links = [
      `/${encodeURI(name)}/raw/tip/src/main.py`,
      `/${encodeURI(name)}/rawfile/tip/src/main.py`,
      `/_${id}/files/${tip}/src/main.py`,
    ];
    expect(hrefs(text)).toEqual(expect.arrayContaining(links));
    for (const link of links) expect((await web.get(link)).status).toBe(200);
    expect((await web.get(links[2] ?? '')).text).toContain('id="L2"');
  });

  it.each([
    ['data.bin', 'This file is binary'],
    ['large.txt', 'This file is too large'],
    ['empty.txt', 'This file is empty'],
    ['tool.sh', '<span class="badge">executable</span>'],
    ['link', '<span class="badge">symbolic link</span>'],
    ['long.txt', 'Only the first 20000 of 20001 lines are shown'],
  ])('says of %s: %s', async (path, said) => {
    const text = await show(`tip/${path}`);
    expect(text).toContain(said);
    expect(text.length).toBeLessThan(3_000_000);
  });

  it.each(['picture.png', 'picture.svg'])('shows %s as an image', async (path) => {
    const text = await show(`tip/${path}`);
    expect(text).toContain(`<img src="/${encodeURI(name)}/raw/tip/${path}" alt="${path}"`);
    expect((await web.get(`/${name}/raw/tip/${path}`)).headers.get('content-type')).toMatch(/^image\//);
    expect(text.includes('<span>1 × 1</span>')).toBe(path === 'picture.png');
    expect(text.includes('>Source</a>')).toBe(path === 'picture.svg');
  });

  it('shows Markdown rendered, and its source when asked', async () => {
    const text = await show('tip/README.md');
    expect(text).toContain('About &lt;this&gt;<a class="anchor"');
    expect(hrefs(text)).toContain(`/${encodeURI(name)}/files/tip/docs/guide.md`);
    expect(hrefs(await show('tip/docs/guide.md'))).toContain(`/${encodeURI(name)}/files/tip/README.md`);
    const plain = `/${encodeURI(name)}/files/tip/README.md?plain=1`;
    expect(hrefs(text)).toContain(plain);
    const source = (await web.get(plain)).text;
    expect(source).toContain('id="L3"');
    for (const page of [text, source]) expect(page).not.toContain('<script');
  });

  it('shows the last change of each entry, and above them that of all', async () => {
    const text = await show('tip/src');
    expect(text).toMatch(/<header class="last-change">.*?>the first<\/a>/s);
    expect(hrefs(text)).toContain(`/${encodeURI(name)}/changelog/tip/src`);
    const rows = (await show('tip')).split('<tr>');
    const row = (entry: string) => rows.find((part) => part.includes(`>${entry}</a>`)) ?? '';
    expect(row('src')).toMatch(/class="change"><a href="[^"]*\/changeset\/[0-9a-f]{40}">the first<\/a>/);
    expect(row('link')).toContain('>the second &lt;b&gt;</a>');
    expect(row('tool.sh')).toContain('Executable file');
    const page = await show('tip/many?page=2');
    expect(page.match(/class="change"><a [^>]*>the first</g)).toHaveLength(500);
  });

  it('shows the README of a directory below it', async () => {
    expect(await show('tip')).toContain('<h2 id="readme">');
    expect(await show('tip/src')).not.toContain('id="readme"');
  });

  it('shows many entries in pages', async () => {
    const pages = await Promise.all(['', '?page=2', '?page=3', '?page=x'].map((page) => show(`tip/many${page}`)));
    const entries = pages.map((text) => text.match(/\/files\/tip\/many\/\d+"/g)?.length);
    expect(entries).toEqual([1_000, 500, 1_000, 1_000]);
    expect(hrefs(pages[0] ?? '')).toContain(`/${encodeURI(name)}/files/tip/many?page=2`);
    expect(hrefs(pages[1] ?? '')).toContain(`/${encodeURI(name)}/files/tip/many`);
  });

  it('links names with any characters, and with bytes that are not UTF-8', async () => {
    const text = await show('tip');
    for (const character of ['<img', '\u202e', '\u0007']) expect(text).not.toContain(character);
    expect(text).toContain('&lt;img src=x onerror=alert(1)&gt;.txt');
    expect(text).toContain('exe.\\u{202E}txt');
    for (const path of [hostile, odd, 'exe.\u202etxt']) {
      const href = `/${encodeURI(name)}/files/tip/${encodeURIComponent(path)}`;
      expect(hrefs(text)).toContain(href.replaceAll('&', '&amp;'));
      const file = (await web.get(href)).text;
      expect(file).toContain('id="L1"');
      expect(file).not.toMatch(/<img|\u202e/);
    }
    for (const [path, shown] of [
      ['bell%07.txt', 'bell\u2407.txt'],
      ['bad-%FF.bin', 'bad-\ufffdFF.bin'],
    ]) {
      expect(text).toContain(`<a href="/${encodeURI(name)}/files/tip/${path}">${shown}</a>`);
      const shownFile = (await show(`tip/${path}`)).replace(/<details class="ref-picker">.*?<\/div><\/details>/s, '');
      const links = hrefs(shownFile).filter(
        (href) => /\/(?:files|raw|rawfile)\//.test(href) && href.endsWith(`/${path}`),
      );
      expect(links.length).toBeGreaterThanOrEqual(3);
      for (const link of links) expect([link, (await web.get(link)).status]).toEqual([link, 200]);
    }
    expect(text.includes('/sub">sub</a><span class="badge">submodule</span>')).toBe(type === 'git');
  });

  it('links to the same path at another revision, also one with a slash', async () => {
    const text = await show('v1/docs/guide.md');
    const [tag, other] = type === 'git' ? ['refs/tags/v1', 'refs/heads/feature/x'] : ['tag:v1', 'book:feature/x'];
    const at = (revision: string) => `/${encodeURI(name)}/files/${encodeURIComponent(revision)}/docs/guide.md`;
    expect(text).toContain('<summary><span class="soft">tag</span> <bdi>v1</bdi></summary>');
    expect(text).toContain(`<a href="${at(tag)}" aria-current="true">v1</a>`);
    expect(text).toContain(`<a href="${at(other)}">feature/x</a>`);
    expect(text).toContain(`<form method="get" action="${at('v1')}">`);
    const sent = await web.get(`/${name}/files/v1/docs/guide.md?at=feature%2Fx&plain=1`);
    expect([sent.status, sent.headers.get('location')]).toEqual([
      303,
      `/${encodeURI(name)}/files/feature%2Fx/docs/guide.md?plain=1`,
    ]);
    const older = await show('feature%2Fx/docs/guide.md');
    expect(older).toContain('the first');
    expect(hrefs(older)).toContain(`/${encodeURI(name)}/raw/feature%2Fx/docs/guide.md`);
    expect(hrefs(older)).toContain(`/${encodeURI(name)}/files/feature%2Fx/README.md`);
    expect(await show(first)).toContain(`<span class="soft">changeset</span> <bdi>${first.slice(0, 12)}</bdi>`);
  });

  it('redirects only within the repository, whatever revision is chosen', async () => {
    const { headers } = await web.get(`/${name}/files/tip?at=//elsewhere.example/%0d%0aX:y`);
    expect(headers.get('location')).toBe(`/${encodeURI(name)}/files/%2F%2Felsewhere.example%2F%0D%0AX%3Ay`);
  });

  it.each(['no-such', 'tip/none', 'tip/src/main.py/x', 'tip/..%2F..', 'tip/bad-%25FF.bin', `${'f'.repeat(40)}/src`])(
    'finds nothing at %s',
    async (path) => {
      const { status, text } = await web.get(`/${name}/files/${path}`);
      expect([status, text.includes('Internal')]).toEqual([404, false]);
    },
  );

  it('shows that a repository is empty', async () => {
    const empty = await makeRepository(type);
    const { status, text } = await web.get(`/${empty}/files`);
    expect([status, text.includes('This repository is empty')]).toEqual([200, true]);
  });

  it('is hidden from users without read', async () => {
    const repo_name = uniqueName('private');
    await admin.result('create_repo', { repo_name, repo_type: type, private: true });
    expect((await web.get(`/${repo_name}/files/tip`)).status).toBe(403);
  });
});
