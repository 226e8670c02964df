import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { nameText } from '@trunkline/runtime/text';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { archiveFormats, type FileStat, type VcsContent } from '../content.ts';
import { collectBytes } from '../../collect-bytes.ts';
import { binary, commitAll, freshHg, makeOddHistory, type OddHistory } from '../testing/odd-hg.ts';
import { hg, writeFiles } from '../testing/tools.ts';
import { openWorkbench, type Workbench } from '../testing/workbench.ts';

const run = promisify(execFile);
const usual = { context: 3, ignoreWhitespace: false, binary: true };
let bench: Workbench;
let content: VcsContent;
let path = '';
let ids: OddHistory;

beforeAll(async () => {
  bench = await openWorkbench();
  content = bench.backends.hg;
  path = await fresh();
  ids = await makeOddHistory(path);
}, 60_000);
afterAll(() => bench.close());

const fresh = () => freshHg(bench.freshPath());

async function diffOf(rawId: string, options = usual): Promise<string> {
  return (await collectBytes(content.diff(path, rawId, options))).toString('latin1').trim();
}

/** Returns the stdout of a plain `hg`, without Trunkline's settings. */
async function printed(...args: string[]): Promise<string> {
  const { stdout } = await run('hg', args, {
    cwd: path,
    env: { ...process.env, HGPLAIN: '1', HGRCPATH: '' },
    encoding: 'buffer',
  });
  return stdout.toString('latin1').trim();
}

describe('diff', () => {
  it('equals that of hg against the first parent', async () => {
    for (const id of Object.values(ids)) expect(await diffOf(id)).toBe(await printed('diff', '--git', '--change', id));
    expect(await diffOf(ids.root)).toContain('GIT binary patch');
    expect(await diffOf(ids.merge)).toMatch(/^diff --git a\/other b\/other\nnew file mode 100644\n/);
    expect(await diffOf(ids.empty)).toBe('');
  });

  it('has the requested number of lines around a change', async () => {
    const lines = async (context: number) => (await diffOf(ids.change, { ...usual, context })).split('\n').length;
    expect(await lines(0)).toBeLessThan(await lines(1));
    const three = await printed('diff', '--git', '--change', ids.change, '-U', '1');
    expect(await diffOf(ids.change, { ...usual, context: 1 })).toBe(three);
  });

  it('leaves out changes of white space', async () => {
    const repository = await fresh();
    await writeFiles(repository, { a: 'one two\n', b: '1\n' });
    await commitAll(repository, 'first');
    await writeFiles(repository, { a: 'one  two \n', b: '2\n' });
    const rawId = await commitAll(repository, 'second');
    const text = async (ignoreWhitespace: boolean) =>
      (await collectBytes(content.diff(repository, rawId, { ...usual, ignoreWhitespace }))).toString();
    expect(await text(false)).toContain('a/a');
    expect(await text(true)).not.toContain('+one');
    expect(await text(true)).toContain('+2\n');
  });

  it('shows the pins of subrepositories, whose files are not read', async () => {
    const repository = await fresh();
    await hg(repository, 'init', 'sub');
    await writeFiles(`${repository}/sub`, { inner: '1' });
    await commitAll(`${repository}/sub`, 'inner');
    await writeFiles(repository, { '.hgsub': 'sub = sub\n' });
    const rawId = await commitAll(repository, 'outer');
    const text = (await collectBytes(content.diff(repository, rawId, usual))).toString();
    expect(text).toMatch(/\+\+\+ b\/\.hgsubstate[^]*\n\+[0-9a-f]{40} sub\n$/);
    const tar = await collectBytes(content.archive(repository, rawId, { format: 'tar', prefix: 'p', subrepos: true }));
    expect(tar.includes('p/.hgsubstate')).toBe(true);
    expect(tar.includes('inner')).toBe(false);
  });
});

describe('patch', () => {
  it('equals the output of hg export', async () => {
    for (const id of Object.values(ids)) {
      const patch = (await collectBytes(content.patch(path, id, usual))).toString('latin1').trim();
      expect(patch).toBe(await printed('export', '--git', id));
      expect(patch).toContain(`# Node ID ${id}\n`);
    }
  });

  it('makes the same changeset when it is imported', async () => {
    const clone = await fresh();
    const plain = await fresh();
    await writeFiles(plain, { 'a b': 'x', '"q"': '' });
    await writeFile(`${plain}/binary`, binary);
    const first = await commitAll(plain, 'first');
    const imported = async (source: string, id: string) => {
      const file = bench.freshPath();
      await writeFile(file, await collectBytes(content.patch(source, id, usual)));
      await hg(clone, 'import', '-q', '--exact', file);
      expect(await hg(clone, 'log', '-r', id, '-T', '{node}')).toBe(id);
    };
    await imported(plain, first);
    await hg(clone, 'pull', '-q', '-f', path, '-r', ids.root);
    await imported(path, ids.change);
    // `hg import` refuses an empty patch, so that the merge's parents are pulled.
    await hg(clone, 'pull', '-q', path, '-r', ids.empty, '-r', ids.other);
    await imported(path, ids.merge);
    await hg(clone, 'verify', '-q');
  });
});

const stat = (name: string, change: FileStat['change'], linesAdded: number | null, linesRemoved: number | null) => ({
  path: name,
  change,
  linesAdded,
  linesRemoved,
});

describe('fileStats', () => {
  it('counts lines of each file, a rename as a removal and an addition', async () => {
    const all = await content.fileStats(path, Object.values(ids).toReversed(), 1_000);
    expect([...all.keys()]).toEqual(Object.values(ids).toReversed());
    expect(all.get(ids.change)).toEqual([
      stat('added', 'added', 3, 0),
      stat('binary', 'changed', null, null),
      stat('dir/moved', 'added', 3, 0),
      stat('long', 'changed', 2, 1),
      stat('moved', 'removed', 0, 3),
      stat('no newline', 'changed', 1, 1),
      stat('removed', 'removed', 0, 2),
      stat('script', 'changed', 0, 0),
    ]);
    expect(all.get(ids.merge)).toEqual([stat('other', 'added', 1, 0)]);
    for (const none of [ids.empty, ids.closing]) expect(all.get(none)).toEqual([]);
    const root = all.get(ids.root) ?? [];
    const names = (await printed('manifest', '-r', ids.root, '-T', '.{path}\n'))
      .split('\n')
      .map((line) => line.slice(1));
    expect(root.map((file) => file.path)).toEqual(names.map((name) => nameText(Buffer.from(name, 'latin1'))));
    expect(root).toContainEqual(stat('caf\ufffdE9', 'added', 1, 0));
    expect(root).toContainEqual(stat('re:x', 'added', 1, 0));
    expect(root).toContainEqual(stat('nothing', 'added', 0, 0));
    expect(root).toContainEqual(stat('link', 'added', 1, 0));
  });

  it('returns at most the requested number of ten thousand files', async () => {
    const repository = await fresh();
    const name = (number: number) => `${String(number).padStart(5, '0')}${'x'.repeat(40)}`;
    const files = Array.from({ length: 10_000 }, (_, number): [string, string] => [name(number), `${number}\n`]);
    await writeFiles(repository, Object.fromEntries(files));
    const first = await commitAll(repository, 'many');
    await writeFiles(repository, { small: '1\n' });
    const second = await commitAll(repository, 'one');
    const stats = await content.fileStats(repository, [first, second], 100);
    expect(stats.get(first)).toHaveLength(100);
    expect(stats.get(first)?.[99]).toEqual(stat(name(99), 'added', null, null));
    expect(stats.get(second)).toEqual([stat('small', 'added', 1, 0)]);
  });
});

const lister = `
import io, sys, tarfile, zipfile
data = io.BytesIO(sys.stdin.buffer.read())
if sys.argv[1] == 'zip':
    z = zipfile.ZipFile(data)
    assert z.testzip() is None
    names = z.namelist()
else:
    names = tarfile.open(fileobj=data, errors='surrogateescape').getnames()
sys.stdout.buffer.write('\\0'.join(names).encode('utf8', 'surrogateescape'))
`;

async function namesIn(archive: Buffer, format: string): Promise<string[]> {
  const listing = run('python3', ['-c', lister, format], {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C.UTF-8' },
  });
  listing.child.stdin?.end(archive);
  return (await listing).stdout.split('\0');
}

describe('archive', () => {
  let repository = '';
  let rawId = '';
  beforeAll(async () => {
    repository = await fresh();
    await hg(repository, 'pull', '-q', path);
    await hg(repository, 'update', '-q', ids.root);
    await hg(repository, 'remove', 'glob:caf*', 'path:\\', 'path:dir/\\');
    rawId = await commitAll(repository, 'all in UTF-8, without backslashes');
  }, 60_000);

  it.each(archiveFormats)('%s has every file in one directory, and the same bytes each time', async (format) => {
    const options = { format, prefix: 'répo-100%h', subrepos: false };
    const archive = await collectBytes(content.archive(repository, rawId, options));
    expect(archive.equals(await collectBytes(content.archive(repository, rawId, options)))).toBe(true);
    const files = (await hg(repository, 'manifest', '-r', rawId, '-T', '.{path}\n'))
      .split('\n')
      .map((line) => line.slice(1));
    const expected = ['.hg_archival.txt', ...files].map((name) => `${options.prefix}/${name}`);
    expect(new Set(await namesIn(archive, format))).toEqual(new Set(expected));
    const own = bench.freshPath();
    const type = { zip: 'zip', tar: 'tar', 'tar.gz': 'tgz', 'tar.bz2': 'tbz2' }[format];
    await hg(repository, 'archive', '-r', rawId, '-t', type, '-p', 'répo-100%%h', own);
    expect(await namesIn(archive, format)).toEqual(await namesIn(await readFile(own), format));
  });

  it('a tar has names that are no UTF-8; a zip of them is refused before its first byte', async () => {
    const tar = await collectBytes(content.archive(path, ids.root, { format: 'tar', prefix: 'p', subrepos: false }));
    expect(tar.includes(Buffer.from('p/caf\xe9', 'latin1'))).toBe(true);
    const zip = content.archive(path, ids.root, { format: 'zip', prefix: 'p', subrepos: false });
    await expect(zip[Symbol.asyncIterator]().next()).rejects.toMatchObject({ kind: 'not-zippable' });
  });

  it('is refused for a changeset without files', async () => {
    const empty = await fresh();
    await writeFiles(empty, { a: '' });
    await commitAll(empty, 'one');
    await hg(empty, 'remove', 'a');
    const none = content.archive(empty, await commitAll(empty, 'none'), {
      format: 'tar',
      prefix: 'p',
      subrepos: false,
    });
    await expect(none[Symbol.asyncIterator]().next()).rejects.toMatchObject({ kind: 'unknown-path' });
  });
});
