import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, readlink, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { archiveFormats, type ArchiveFormat, type VcsContent } from '../content.ts';
import { collectBytes } from '../../collect-bytes.ts';
import { feedGit, fastImport } from '../testing/feed-git.ts';
import { binary, commit, file, makeOddHistory, oddNames } from '../testing/odd-git.ts';
import { commandLines } from '../testing/processes.ts';
import { git } from '../testing/tools.ts';
import { openWorkbench, type Workbench } from '../testing/workbench.ts';

const run = promisify(execFile);
let bench: Workbench;
let content: VcsContent;
let path = '';
let root = '';

beforeAll(async () => {
  bench = await openWorkbench();
  content = bench.backends.git;
  path = await bare();
  ({ root } = await makeOddHistory(path));
});
afterAll(() => bench.close());

async function bare(): Promise<string> {
  const repository = bench.freshPath();
  await bench.backends.git.init(repository, 'uuid');
  return repository;
}

function archive(format: ArchiveFormat, rawId = root, repository = path): Promise<Buffer> {
  return collectBytes(content.archive(repository, rawId, { format, prefix: 'our code-1', subrepos: true }));
}

/** Returns the odd names that a format can hold: a zip holds no backslash. */
const namesIn = (format: ArchiveFormat) => oddNames.filter((name) => format !== 'zip' || !name.includes('\\'));

/** Returns the id of the root commit; for zip, of a copy without the names that a zip cannot hold. */
async function rootFor(format: ArchiveFormat): Promise<string> {
  if (format !== 'zip') return root;
  const index = { GIT_INDEX_FILE: bench.freshPath() };
  await feedGit(path, ['read-tree', root], '', index);
  // Mode 0 removes an entry from the index.
  const removed = oddNames.filter((name) => name.includes('\\')).flatMap((name) => [name, `dir/${name}/${name}`]);
  const lines = removed.map((name) => `0 ${'0'.repeat(40)}\t${name}\0`);
  await feedGit(path, ['update-index', '-z', '--index-info'], lines.join(''), index);
  return git(path, 'commit-tree', '-m', 'zip', await feedGit(path, ['write-tree'], '', index));
}

async function unpacked(format: ArchiveFormat): Promise<string> {
  const directory = await mkdtemp(join(bench.directory, 'unpacked-'));
  const packed = join(directory, `packed.${format}`);
  await writeFile(packed, await archive(format, await rootFor(format)));
  if (format === 'zip') await run('python3', ['-c', unzip, packed, directory]);
  else await run('tar', ['xf', packed, '-C', directory]);
  return join(directory, 'our code-1');
}

const unzip = 'import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extractall(sys.argv[2])';

it.each(archiveFormats)('%s holds every file below a single directory', async (format) => {
  const directory = await unpacked(format);
  expect((await readdir(directory)).length).toBe(namesIn(format).length + 9);
  expect(await readdir(join(directory, '..'))).toHaveLength(2);
  for (const name of namesIn(format)) {
    expect(await readFile(join(directory, name), 'utf8')).toBe(`of ${name}\n`);
    expect(await readFile(join(directory, 'dir', name, name), 'utf8')).toBe('x');
  }
  expect(await readFile(join(directory, 'binary'), 'utf8')).toBe(binary);
  if (format === 'zip') return;
  expect(await readlink(join(directory, 'link'))).toBe('dir/-dash');
  expect((await stat(join(directory, 'script'))).mode & 0o111).not.toBe(0);
});

it.each(archiveFormats)('%s has the same bytes each time', async (format) => {
  const rawId = await rootFor(format);
  expect((await archive(format, rawId)).equals(await archive(format, rawId))).toBe(true);
});

it('tar.gz and tar.bz2 decompress to the same bytes as tar', async () => {
  const tar = await archive('tar');
  expect(gunzipSync(await archive('tar.gz')).equals(tar)).toBe(true);
  const packed = bench.freshPath();
  await writeFile(packed, await archive('tar.bz2'));
  const { stdout } = await run('bzip2', ['-dc', packed], { encoding: 'buffer', maxBuffer: 1e8 });
  expect(stdout.equals(tar)).toBe(true);
});

it('a commit without files gives an archive, too', async () => {
  const repository = await bare();
  await fastImport(repository, commit({ mark: 1, parents: [] }));
  for (const format of archiveFormats) {
    expect((await archive(format, await git(repository, 'rev-parse', 'main'), repository)).length).toBeGreaterThan(20);
  }
});

it.each(archiveFormats)('D12 %s leaves no process when the reader stops', async (format) => {
  const repository = await bare();
  // Text that hardly compresses, so that the archive is long in every format.
  const noise = Array.from({ length: 400_000 }, (_, index) => ((index * 2_654_435_761) % 2 ** 32).toString(36)).join(
    '',
  );
  await fastImport(
    repository,
    commit({ mark: 1, parents: [] }, [file('a', noise), file('b', `b${noise}`), file('c', noise)]),
  );
  const rawId = await git(repository, 'rev-parse', 'main');
  const running = async () => {
    const lines = [...(await commandLines()).values()];
    return lines.filter((line) => line.includes(`--git-dir=${repository}\0`) && line.includes('archive'));
  };
  for await (const chunk of content.archive(repository, rawId, { format, prefix: 'x', subrepos: false })) {
    expect(chunk.length).toBeGreaterThan(0);
    break;
  }
  await vi.waitFor(async () => expect(await running()).toEqual([]), { timeout: 20_000 });
});

it.each(archiveFormats)('%s of a repository that does not exist fails', async (format) => {
  await expect(archive(format, root, bench.freshPath())).rejects.toMatchObject({ kind: 'failed' });
});

it('C4 export-subst in a repository’s attributes runs no program to check a signature', async () => {
  const repository = await bare();
  await fastImport(
    repository,
    commit({ mark: 1, parents: [] }, [file('f', '$Format:%an %G?$'), file('.gitattributes', 'f export-subst\n')]),
  );
  const signed = (await git(repository, 'cat-file', 'commit', 'main')).replace(
    '\n\n',
    '\ngpgsig -----BEGIN SSH SIGNATURE-----\n x\n -----END SSH SIGNATURE-----\n\n',
  );
  const rawId = await feedGit(repository, ['hash-object', '-w', '--stdin', '-t', 'commit'], `${signed}\n`);
  const tools = join(bench.directory, 'signers');
  await mkdir(tools);
  await writeFile(join(tools, 'git'), `#!/bin/sh\necho "$PATH" > ${tools}/path\nexec git "$@"\n`, { mode: 0o755 });
  const traced = await bench.open({ gitCommand: [join(tools, 'git')] });
  const tar = await collectBytes(
    traced.git.archive(repository, rawId, { format: 'tar', prefix: 'x', subrepos: false }),
  );
  expect(tar.toString('latin1')).toMatch(/Ann [NBE]/);
  const [first = ''] = (await readFile(join(tools, 'path'), 'utf8')).split(':');
  for (const name of ['gpg', 'gpgsm', 'ssh-keygen']) {
    await expect(run(join(first, name))).rejects.toMatchObject({ code: 1, stdout: '', stderr: '' });
  }
});
