import { open, readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { VcsBackend } from './backend.ts';
import { commitGit, commitHg, git, hg } from './testing/tools.ts';
import { makeSource, neverAborted, openWorkbench, remoteOf, type Workbench } from './testing/workbench.ts';

const uuid = '0199c8a0-0000-7000-8000-000000000001';
const commit = { git: commitGit, hg: commitHg };
const ownConfig = { git: 'config', hg: '.hg/hgrc' };
const other = { git: 'hg', hg: 'git' } as const;

let bench: Workbench;

beforeAll(async () => {
  bench = await openWorkbench();
});
afterAll(() => bench.close());

describe.each(['git', 'hg'] as const)('%s', (type) => {
  let backend: VcsBackend;
  beforeAll(() => {
    backend = bench.backends[type];
  });

  async function imported(url: string): Promise<string> {
    const path = bench.freshPath();
    await backend.importFrom(path, uuid, remoteOf(type, url), neverAborted);
    return path;
  }

  it('returns its tool’s version, for which it asks once', async () => {
    const version = await backend.version();
    const shown = await { git, hg }[type]('/', '--version');
    expect(version).toMatch(/^\d+\.\d/);
    expect(shown.split('\n', 1)[0]).toContain(version);
    expect(backend.version()).toBe(backend.version());
    expect(backend.command.at(-1)).toContain(type);
  });

  it('init makes an empty repository with its uuid in the configuration', async () => {
    const path = bench.freshPath();
    await backend.init(path, uuid);
    expect(await readFile(`${path}/${ownConfig[type]}`, 'utf8')).toMatch(/\[trunkline\]\s+uuid = 0199c8a0-0000-7000/);
    expect(await backend.tip(path)).toBeNull();
    for (const revision of ['', 'tip', 'HEAD', 'head', -1, null]) {
      await expect(backend.resolveRevision(path, revision)).rejects.toMatchObject({ kind: 'empty-repository' });
    }
    for (const revision of [0, '0', 'default', 'master', 'null', '.', '0'.repeat(40), '0000']) {
      await expect(backend.resolveRevision(path, revision)).rejects.toMatchObject({ kind: 'unknown-revision' });
    }
  });

  it('init makes what its tool finds whole, with few syncs', async () => {
    await backend.init(bench.freshPath(), uuid);
    const handle = await open(bench.directory, 'r');
    const syncs = vi.spyOn(Object.getPrototypeOf(handle) as typeof handle, 'sync');
    await handle.close();
    const path = bench.freshPath();
    await backend.init(path, uuid);
    // git: HEAD, config, the root and objects; hg: its lists of requirements and its index for old clients, hgrc, three directories.
    expect(syncs.mock.calls.length).toBeLessThanOrEqual({ git: 4, hg: 8 }[type]);
    syncs.mockRestore();
    expect(await backend.defaultBranch(path)).toBe({ git: 'master', hg: null }[type]);
    await { git: () => git(path, 'fsck', '--strict'), hg: () => hg(path, 'verify', '-q') }[type]();
  });

  it('import of an empty remote makes an empty repository into which a pull works', async () => {
    const source = await makeSource(bench, type);
    const path = await imported(source.url);
    expect(await backend.tip(path)).toBeNull();
    const rawId = await commit[type](source.directory, { 'a.txt': 'a' });
    await backend.pull(path, remoteOf(type, source.url), neverAborted);
    expect(await backend.tip(path)).toMatchObject({ rawId, revision: 0, message: expect.stringMatching(/^change/) });
  });

  it('import leaves no address of the remote in the configuration', async () => {
    const source = await makeSource(bench, type);
    await commit[type](source.directory, { 'a.txt': 'a' });
    const path = await imported(source.url);
    const config = await readFile(`${path}/${ownConfig[type]}`, 'utf8');
    expect(config).toContain(`uuid = ${uuid}`);
    expect(config).not.toContain('127.0.0.1');
  });

  it('pull changes nothing when the remote has nothing new, and fetches new heads', async () => {
    const source = await makeSource(bench, type);
    await commit[type](source.directory, { 'a.txt': '1' });
    const path = await imported(source.url);
    const remote = remoteOf(type, source.url);
    const before = await backend.tip(path);
    await backend.pull(path, remote, neverAborted);
    expect(await backend.tip(path)).toEqual(before);
    const rawId = await commit[type](source.directory, { 'a.txt': '2' });
    await backend.pull(path, remote, neverAborted);
    expect(await backend.tip(path)).toMatchObject({ rawId, revision: 1 });
  });

  it('tip returns the whole author and message', async () => {
    const source = await makeSource(bench, type);
    const author = 'Zoë "z" O’Neil <zoe@example.com>';
    const message = 'Subject é\n\n  body \u{1f600}\n\nend';
    await commit[type](source.directory, { 'a.txt': '1' });
    const date = '1463404029';
    if (type === 'hg') {
      await hg(source.directory, 'rm', 'a.txt');
      await hg(source.directory, 'commit', '-u', author, '-d', `${date} -7200`, '-m', message);
    } else {
      const amended = ['commit', '-q', '--amend', `--author=${author}`, '-m', message];
      await git(source.directory, '-c', 'core.commentChar=;', ...amended, '--date', `${date} +0200`);
    }
    const tip = await backend.tip(await imported(source.url));
    const shown = { git: { message: `${message}\n` }, hg: { message, date: new Date(1_463_404_029_000) } };
    expect(tip).toMatchObject({ author, ...shown[type] });
  });

  it('nodes lists full paths below any directory, and refuses any other path', async () => {
    const source = await makeSource(bench, type);
    const names = [
      'docs/a b.txt',
      'docs/api/-x',
      'docs/api/é.txt',
      'docs.txt',
      'docsx/y',
      'src/[a]*?.c',
      '\u{1f600}/~',
    ];
    await commit[type](source.directory, Object.fromEntries(names.map((name) => [name, name])));
    const path = await imported(source.url);
    const rawId = await backend.resolveRevision(path, 'tip');
    const list = async (root: string) => (await backend.nodes(path, rawId, root)).map(({ name }) => name);
    expect(await list('/')).toEqual([
      ...['docs', 'docsx', 'src', '\u{1f600}', 'docs/api', 'docs.txt', 'docs/a b.txt', 'docs/api/-x'],
      ...['docs/api/é.txt', 'docsx/y', 'src/[a]*?.c', '\u{1f600}/~'],
    ]);
    expect(await list('/docs/')).toEqual(['docs/api', 'docs/a b.txt', 'docs/api/-x', 'docs/api/é.txt']);
    expect(await list('docs/api')).toEqual(['docs/api/-x', 'docs/api/é.txt']);
    expect(await list('\u{1f600}')).toEqual(['\u{1f600}/~']);
    for (const root of [
      'doc',
      'docs.txt',
      'docs/api/é.txt',
      'docs.txt/x',
      'Docs',
      'src/*',
      'do*',
      'missing',
      '.git',
      '.hg',
    ]) {
      await expect(backend.nodes(path, rawId, root), root).rejects.toMatchObject({ kind: 'unknown-path' });
    }
  });

  it('nodes of a changeset that removed every file is an empty list', async () => {
    const source = await makeSource(bench, type);
    await commit[type](source.directory, { 'a/b.txt': '1' });
    await (type === 'git' ? git(source.directory, 'rm', '-q', 'a/b.txt') : hg(source.directory, 'rm', 'a/b.txt'));
    const rawId = await commit[type](source.directory, {});
    const path = await imported(source.url);
    expect(await backend.nodes(path, rawId, '')).toEqual([]);
    await expect(backend.nodes(path, rawId, 'a')).rejects.toMatchObject({ kind: 'unknown-path' });
  });

  it('nodes counts symbolic links among the files', async () => {
    const source = await makeSource(bench, type);
    const { symlink } = await import('node:fs/promises');
    await symlink('/etc', `${source.directory}/link`);
    const rawId = await commit[type](source.directory, { f: '' });
    const path = await imported(source.url);
    expect(await backend.nodes(path, rawId, '')).toEqual([
      { name: 'f', type: 'file' },
      { name: 'link', type: 'file' },
    ]);
    await expect(backend.nodes(path, rawId, 'link')).rejects.toMatchObject({ kind: 'unknown-path' });
  });

  it('import fails for a remote of the other type, of none or out of reach, with no password in the error', async () => {
    const wrong = await makeSource(bench, other[type]);
    await commit[other[type]](wrong.directory, { a: '' });
    const urls = [wrong.url, `${wrong.url}/missing`, 'http://127.0.0.1:1/x'];
    for (const url of urls) {
      const attempt = imported(url.replace('http://', 'http://ann:s3cret@'));
      await expect(attempt, url).rejects.toMatchObject({
        kind: 'remote-failed',
        message: expect.not.stringContaining('s3cret'),
      });
    }
  });
});
