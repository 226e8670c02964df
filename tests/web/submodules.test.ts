import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { git, hg, makeRemote, type Remote } from '../harness/remotes.ts';
import { admin, repositoryTypes, uniqueName, type RepositoryType } from '../harness/shared-cluster.ts';
import type { WebClient } from '../harness/web-client.ts';
import { makeVisitor } from '../harness/web-visitor.ts';

const [one, other] = ['1'.repeat(40), '2'.repeat(40)];
const addresses = {
  lib: '../lib',
  web: 'https://ann:secret@git.example/web.git',
  script: 'javascript:alert(1)',
  'vendor/deep': 'git@git.example:deep',
};
const pinned = Object.keys(addresses);

function added(name: string, lines: readonly string[]): string {
  return `--- /dev/null\n+++ b/${name}\n@@ -0,0 +1,${lines.length} @@\n${lines.map((line) => `+${line}\n`).join('')}`;
}

async function importPatch({ directory }: Remote, patch: string): Promise<void> {
  await writeFile(join(directory, '.hg/patch'), patch);
  // `hg commit` would read the subrepositories.
  await hg(directory, 'import', '--bypass', '-q', '-m', 'pins', '-u', 'Ann', '.hg/patch');
  await hg(directory, 'debugsetparents', 'tip');
}

/** Commit submodules, or move the pin of `lib`. */
const pins: Record<RepositoryType, { add(remote: Remote): Promise<void>; move(remote: Remote): Promise<void> }> = {
  git: {
    async add({ directory }) {
      const sections = pinned.map((path) => {
        const address = addresses[path as keyof typeof addresses];
        return `[submodule "${path}"]\n\tpath = ${path}\n\turl = ${address}\n`;
      });
      await writeFile(join(directory, '.gitmodules'), sections.join(''));
      await git(directory, 'add', '.gitmodules');
      for (const path of pinned) await git(directory, 'update-index', '--add', '--cacheinfo', `160000,${one},${path}`);
      await git(directory, 'commit', '-q', '-m', 'pins');
    },
    async move({ directory }) {
      await git(directory, 'update-index', '--cacheinfo', `160000,${other},lib`);
      await git(directory, 'commit', '-q', '-m', 'pins');
    },
  },
  hg: {
    async add(remote) {
      const sources = Object.entries(addresses).map(([path, address]) => `${path} = [git]${address}`);
      const states = pinned.map((path) => `${one} ${path}`);
      await importPatch(remote, added('.hgsub', sources) + added('.hgsubstate', states));
    },
    move: (remote) =>
      importPatch(
        remote,
        `--- a/.hgsubstate\n+++ b/.hgsubstate\n@@ -1,1 +1,1 @@\n-${one} ${pinned[0]}\n+${other} ${pinned[0]}\n`,
      ),
  },
};

function hrefs(text: string): string[] {
  return [...text.matchAll(/href="([^"]*)"/g)].map(([, href = '']) => href);
}

describe.each(repositoryTypes)('submodules of a %s repository', (type) => {
  let remote: Remote;
  let web: WebClient;
  let group: string;
  let name: string;

  beforeAll(async () => {
    ({ web } = await makeVisitor());
    remote = await makeRemote[type]();
    await remote.commit({ 'vendor/file': 'x\n' });
    await pins[type].add(remote);
    await pins[type].move(remote);
    group = uniqueName('group');
    name = `${group}/${uniqueName(type)}`;
    await admin.result('create_repo', { repo_name: name, repo_type: type, clone_uri: remote.url });
  });
  afterAll(() => remote.close());

  it('stand in their directory with commit and address, which is a link where browsers may follow', async () => {
    const { text } = await web.get(`/${name}/files/tip`);
    const row = (entry: string) => text.split('<tr>').find((part) => part.includes(`>${entry}</a>`)) ?? '';
    const kind = type === 'hg' ? '[git]' : '';
    expect(row('lib')).toContain('<span class="badge">submodule</span> <span class="mono">222222222222</span>');
    expect(row('lib')).toContain(
      `<a href="/${encodeURI(group)}/lib" rel="nofollow noopener noreferrer">${kind}../lib</a>`,
    );
    expect(row('web')).toContain(`href="https://git.example/web.git"`);
    expect(row('script')).toContain(`<span class="soft">${kind}javascript:alert(1)</span>`);
    expect(text).not.toContain('secret');
    const { text: below } = await web.get(`/${name}/files/tip/vendor`);
    expect(below).toContain(`<span class="soft">${kind}git@git.example:deep</span>`);
    for (const href of [...hrefs(text), ...hrefs(below)]) {
      expect(href).not.toMatch(/^javascript:|\/(?:raw|rawfile)\/tip\/(?:lib|web|script|vendor\/deep)$/);
    }
  });

  it('have a page that tells commit and address, and that the files are elsewhere', async () => {
    const kind = type === 'hg' ? '[git]' : '';
    const link = `<a href="/${encodeURI(group)}/lib" rel="nofollow noopener noreferrer">${kind}../lib</a>`;
    for (const [path, commit, address] of [
      ['lib', other, link],
      ['vendor/deep', one, `<span class="soft">${kind}git@git.example:deep</span>`],
    ]) {
      const { status, text } = await web.get(`/${name}/files/tip/${path}`);
      expect([path, status]).toEqual([path, 200]);
      for (const part of ['There is a submodule here', `<code>${commit}</code>`, address]) expect(text).toContain(part);
    }
    expect((await web.get(`/${name}/files/tip/lib/x`)).status).toBe(404);
  });

  it.each(['raw', 'rawfile'])('%s says that there is one, and that its files are elsewhere', async (page) => {
    for (const path of ['lib', 'vendor/deep']) {
      const { status, text } = await web.get(`/${name}/${page}/tip/${path}`);
      expect([status, text]).toEqual([404, expect.stringContaining('There is a submodule here')]);
    }
    expect((await web.get(`/${name}/${page}/tip/lib/x`)).status).toBe(404);
  });

  it('are in no list of nodes', async () => {
    const nodes = { repoid: name, revision: 'tip', root_path: '' };
    const names = (await admin.result<{ name: string }[]>('get_repo_nodes', nodes)).map((node) => node.name);
    const pins = type === 'git' ? ['.gitmodules'] : ['.hgsub', '.hgsubstate'];
    expect(names).toEqual(['vendor', ...pins, 'vendor/file']);
    const root_path = 'vendor/deep';
    expect(await admin.error('get_repo_nodes', { ...nodes, root_path })).toContain('failed to get repo');
  });

  it('are changed files of the changeset that moves a pin', async () => {
    const path = type === 'git' ? 'lib' : '.hgsubstate';
    const args = { repoid: name, revision: 'tip', with_file_list: true };
    expect(await admin.result('get_changeset', args)).toMatchObject({ added: [], changed: [path], removed: [] });
    const { text } = await web.get(`/${name}/changeset/tip`);
    expect(text).toContain('<h2 id="files">1 file</h2>');
    expect(text).toContain(`<a href="#file-1">${path}</a>`);
    const note = 'Submodule · Subproject commit 111111111111..222222222222';
    expect([text.includes(note), text.includes('class="to-file"')]).toEqual([type === 'git', type === 'hg']);
    const { text: feed } = await web.get(`/${name}/feed/atom`);
    expect(feed).toContain(` M ${path} (1 lines added, 1 lines removed)`);
  });
});

describe.each(repositoryTypes)('a file of a %s repository', (type) => {
  let remote: Remote;
  let web: WebClient;
  let name: string;

  beforeAll(async () => {
    ({ web } = await makeVisitor());
    remote = await makeRemote[type]();
    const at = (path: string) => join(remote.directory, path);
    await symlink('old/target', at('link to file'));
    await remote.commit({ 'file to link': 'one\ntwo\n', 'file to directory': 'x\n', 'directory to file/f': 'y\n' });
    for (const gone of ['link to file', 'file to link', 'file to directory']) await rm(at(gone));
    await rm(at('directory to file'), { recursive: true });
    await symlink('<new>/target', at('file to link'));
    await mkdir(at('file to directory'));
    await remote.commit({ 'link to file': '1\n2\n3\n', 'file to directory/g': 'z\n', 'directory to file': 'v\n' });
    name = uniqueName(type);
    await admin.result('create_repo', { repo_name: name, repo_type: type, clone_uri: remote.url });
  });
  afterAll(() => remote.close());

  it('that becomes a link, and a link that becomes a file, is one change', async () => {
    const record = await admin.result('get_changeset', { repoid: name, revision: 'tip', with_file_list: true });
    expect(record).toMatchObject({
      added: ['directory to file', 'file to directory/g'],
      changed: ['file to link', 'link to file'],
      removed: ['directory to file/f', 'file to directory'],
    });
    const { text } = await web.get(`/${name}/changeset/tip`);
    expect(text).toContain('<h2 id="files">6 files</h2>');
    const counts = (path: string) => {
      const [row = ''] = text.slice(text.indexOf(`>${path}</a>`)).split('</tr>');
      return [...row.matchAll(/>[+−](\d+)</g)].map(([, count]) => Number(count));
    };
    expect([counts('file to link'), counts('link to file')]).toEqual([
      [1, 2],
      [3, 1],
    ]);
    expect(text).toContain('<p class="note">Changed from file to symbolic link</p>');
    expect(text).toContain('<p class="note">Changed from symbolic link to file</p>');
    const { text: feed } = await web.get(`/${name}/feed/atom`);
    expect(feed).toContain(' M file to link (1 lines added, 2 lines removed)');
    expect(feed).toContain(' M link to file (3 lines added, 1 lines removed)');
  });

  it('that is a link is shown with its target', async () => {
    const { text } = await web.get(`/${name}/files/tip/file%20to%20link`);
    expect(text).toMatch(
      /Symbolic link to <a href="[^"]*\/files\/tip\/%3Cnew%3E\/target"><code>&lt;new&gt;\/target<\/code><\/a>/,
    );
  });
});
