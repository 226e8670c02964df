import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { archiveFormats, type FileStat, type VcsContent } from '../content.ts';
import { binary, bytesOf, commitAll, freshHg, makeOddHistory, type OddHistory } from '../testing/odd-hg.ts';
import { hg, writeFiles } from '../testing/tools.ts';
import { openWorkbench, type Workbench } from '../testing/workbench.ts';

const run = promisify(execFile);
const usual = { context: 3, ignoreWhitespace: false };
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
  return (await bytesOf(content.diff(path, rawId, options))).toString('latin1').trim();
}

/** What a person's own Mercurial prints. */
async function printed(...args: string[]): Promise<string> {
  const { stdout } = await run('hg', args, {
    cwd: path,
    env: { ...process.env, HGPLAIN: '1', HGRCPATH: '' },
    encoding: 'buffer',
  });
  return stdout.toString('latin1').trim();
}

describe('diff', () => {
  it('is that of hg against the first parent', async () => {
    for (const id of Object.values(ids)) expect(await diffOf(id)).toBe(await printed('diff', '--git', '--change', id));
    expect(await diffOf(ids.root)).toContain('GIT binary patch');
    expect(await diffOf(ids.merge)).toMatch(/^diff --git a\/other b\/other\nnew file mode 100644\n/);
    expect(await diffOf(ids.empty)).toBe('');
  });

  it('has as many lines around a change as asked for', async () => {
    const lines = async (context: number) => (await diffOf(ids.change, { ...usual, context })).split('\n').length;
    expect(await lines(0)).toBeLessThan(await lines(1));
    const three = await printed('diff', '--git', '--change', ids.change, '-U', '1');
    expect(await diffOf(ids.change, { ...usual, context: 1 })).toBe(three);
  });

  it('leaves out changes of white space', async () => {
    const made = await fresh();
    await writeFiles(made, { a: 'one two\n', b: '1\n' });
    await commitAll(made, 'first');
    await writeFiles(made, { a: 'one  two \n', b: '2\n' });
    const rawId = await commitAll(made, 'second');
    const text = async (ignoreWhitespace: boolean) =>
      (await bytesOf(content.diff(made, rawId, { ...usual, ignoreWhitespace }))).toString();
    expect(await text(false)).toContain('a/a');
    expect(await text(true)).not.toContain('+one');
    expect(await text(true)).toContain('+2\n');
  });

  it('has subrepositories, whose files nobody reads', async () => {
    const made = await fresh();
    await hg(made, 'init', 'sub');
    await writeFiles(`${made}/sub`, { inner: '1' });
    await commitAll(`${made}/sub`, 'inner');
    await writeFiles(made, { '.hgsub': 'sub = sub\n' });
    const rawId = await commitAll(made, 'outer');
    const text = (await bytesOf(content.diff(made, rawId, usual))).toString();
    expect(text).toMatch(/\+\+\+ b\/\.hgsubstate[^]*\n\+[0-9a-f]{40} sub\n$/);
    const tar = await bytesOf(content.archive(made, rawId, { format: 'tar', prefix: 'p', subrepos: true }));
    expect(tar.includes('p/.hgsubstate')).toBe(true);
    expect(tar.includes('inner')).toBe(false);
  });
});

describe('patch', () => {
  it('is what hg exports', async () => {
    for (const id of Object.values(ids)) {
      const patch = (await bytesOf(content.patch(path, id, usual))).toString('latin1').trim();
      expect(patch).toBe(await printed('export', '--git', id));
      expect(patch).toContain(`# Node ID ${id}\n`);
    }
  });

  it('makes the same changesets where it is imported', async () => {
    const clone = await fresh();
    const plain = await fresh();
    await writeFiles(plain, { 'a b': 'x', '"q"': '' });
    await writeFile(`${plain}/binary`, binary);
    const first = await commitAll(plain, 'first');
    const imported = async (source: string, id: string) => {
      const file = bench.freshPath();
      await writeFile(file, await bytesOf(content.patch(source, id, usual)));
      await hg(clone, 'import', '-q', '--exact', file);
      expect(await hg(clone, 'log', '-r', id, '-T', '{node}')).toBe(id);
    };
    await imported(plain, first);
    await hg(clone, 'pull', '-q', '-f', path, '-r', ids.root);
    await imported(path, ids.change);
    // An empty patch, `import` refuses.
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
    expect(root.map((file) => file.path)).toEqual(names.map((name) => Buffer.from(name, 'latin1').toString('utf8')));
    expect(root).toContainEqual(stat('caf\ufffd', 'added', 1, 0));
    expect(root).toContainEqual(stat('re:x', 'added', 1, 0));
    expect(root).toContainEqual(stat('nothing', 'added', 0, 0));
    expect(root).toContainEqual(stat('link', 'added', 1, 0));
  });

  it('of ten thousand files tells as many as asked for', async () => {
    const made = await fresh();
    const name = (number: number) => `${String(number).padStart(5, '0')}${'x'.repeat(40)}`;
    const files = Array.from({ length: 10_000 }, (_, number): [string, string] => [name(number), `${number}\n`]);
    await writeFiles(made, Object.fromEntries(files));
    const first = await commitAll(made, 'many');
    await writeFiles(made, { small: '1\n' });
    const second = await commitAll(made, 'one');
    const stats = await content.fileStats(made, [first, second], 100);
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
  let made = '';
  let rawId = '';
  beforeAll(async () => {
    made = await fresh();
    await hg(made, 'pull', '-q', path);
    await hg(made, 'update', '-q', ids.root);
    await hg(made, 'remove', 'glob:caf*', 'path:\\', 'path:dir/\\');
    rawId = await commitAll(made, 'all in UTF-8, without backslashes');
  }, 60_000);

  it.each(archiveFormats)('%s has every file in one directory, and is the same each time', async (format) => {
    const options = { format, prefix: 'répo-100%h', subrepos: false };
    const archive = await bytesOf(content.archive(made, rawId, options));
    expect(archive.equals(await bytesOf(content.archive(made, rawId, options)))).toBe(true);
    const files = (await hg(made, 'manifest', '-r', rawId, '-T', '.{path}\n')).split('\n').map((line) => line.slice(1));
    const expected = ['.hg_archival.txt', ...files].map((name) => `${options.prefix}/${name}`);
    expect(new Set(await namesIn(archive, format))).toEqual(new Set(expected));
    const own = bench.freshPath();
    const type = { zip: 'zip', tar: 'tar', 'tar.gz': 'tgz', 'tar.bz2': 'tbz2' }[format];
    await hg(made, 'archive', '-r', rawId, '-t', type, '-p', 'répo-100%%h', own);
    expect(await namesIn(archive, format)).toEqual(await namesIn(await readFile(own), format));
  });

  it('names that are no UTF-8 are in a tar; a zip is refused before it begins', async () => {
    const tar = await bytesOf(content.archive(path, ids.root, { format: 'tar', prefix: 'p', subrepos: false }));
    expect(tar.includes(Buffer.from('p/caf\xe9', 'latin1'))).toBe(true);
    const zip = content.archive(path, ids.root, { format: 'zip', prefix: 'p', subrepos: false });
    await expect(zip[Symbol.asyncIterator]().next()).rejects.toMatchObject({ kind: 'not-zippable' });
  });

  it('a changeset without files has none', async () => {
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
