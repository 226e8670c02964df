import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createSecretVault } from '@trunkline/db';
import { openDirectorySink } from '../backup/directory-sink.ts';
import { encodeManifest, filesOf, manifestName, type BackupFile } from '../backup/manifest.ts';
import { tarHeader } from '../backup/tar-sink.ts';
import { writeParts } from '../backup/sink.ts';
import { checkFiles, contentOf, openDirectory } from './backup-source.ts';
import { withArchive } from './open-archive.ts';

const vault = createSecretVault('a'.repeat(64));
const shown = { err: () => {}, columns: () => null };
const id = '6b3d9a52-0f05-4d9b-9a64-6b8e8d6b5b11';
const text = 'rows of users';
let directory: string;
let files: BackupFile[];
let manifest: Buffer;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trunkline-archive-'));
  const sink = openDirectorySink(directory);
  files = await writeParts(sink, 'tables/a/users', Readable.from([Buffer.from(text)]));
  const table = { name: 'users', columns: ['id'], files };
  const lists = { sequences: [], secretIds: [], storages: [], repositories: [], missing: [] };
  manifest = encodeManifest({ id, release: '0.2.0', takenAt: '', schema: 1, tables: [table], ...lists }, vault);
  await sink.finish(manifest);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(directory, { recursive: true, force: true });
});

/** Makes an entry of an archive, with another type than that of a file if one is given. */
function entry(name: string, content: string | Buffer, type = '0'): Buffer {
  const header = tarHeader(name, content.length);
  header.write(type, 156);
  header.fill(' ', 148, 156);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return Buffer.concat([header, Buffer.from(content), Buffer.alloc((512 - (content.length % 512)) % 512)]);
}

const nameOf = () => files[0]?.name ?? '';
const end = Buffer.alloc(1_024);
const whole = () => Buffer.concat([entry(nameOf(), text), entry(manifestName, manifest), end]);

/** Reads an archive that comes in pieces of odd sizes; returns what its files have. */
function read(archive: Buffer, keeps = true): Promise<string> {
  const pieces = Array.from({ length: Math.ceil(archive.length / 100) }, (_, at) =>
    archive.subarray(at * 100, (at + 1) * 100),
  );
  return withArchive(Readable.from(pieces), { vault, keeps, shown }, async (source) => {
    await checkFiles(shown, source, source.manifest);
    if (!keeps) return 'checked';
    return (await buffer(contentOf(source, filesOf(source.manifest)))).toString();
  });
}

it('reads what `backup -` writes, and what tar makes of a directory', async () => {
  expect(await read(whole())).toBe(text);
  expect(await read(whole(), false)).toBe('checked');
  // Without its end, all files are there.
  expect(await read(whole().subarray(0, -end.length))).toBe(text);
  for (const format of ['ustar', 'gnu', 'pax']) {
    const made = await promisify(execFile)('tar', ['-c', `--format=${format}`, '-C', directory, '.'], {
      encoding: 'buffer',
    });
    expect(await read(made.stdout)).toBe(text);
  }
});

it('leaves nothing behind, and writes nothing but a file without a name', async () => {
  const temporary = await mkdtemp(join(directory, 'tmp-'));
  vi.stubEnv('TMPDIR', temporary);
  const seen = await withArchive(Readable.from([whole()]), { vault, keeps: true, shown }, () => readdir(temporary));
  expect(seen).toEqual([]);
});

it.each<[string, () => Buffer, string]>([
  ['nothing', () => Buffer.alloc(0), 'the archive has no complete backup'],
  ['no manifest', () => Buffer.concat([entry(nameOf(), text), end]), 'the archive has no complete backup'],
  ['a cut end', () => whole().subarray(0, -end.length - 300), 'the archive ends in `manifest.json`'],
  ['a cut header', () => whole().subarray(0, 100), 'no tar archive of a backup'],
  ['compressed bytes', () => gzipSync(whole()), 'no tar archive of a backup'],
  ['any bytes', () => Buffer.from('x'.repeat(2_000)), 'no tar archive of a backup'],
  ['a missing file', () => Buffer.concat([entry(manifestName, manifest), end]), '` of the backup is missing'],
  ['a file twice', () => Buffer.concat([entry(nameOf(), text), whole()]), '` twice'],
  [
    'a flipped byte',
    () => Buffer.concat([entry(nameOf(), `R${text.slice(1)}`), entry(manifestName, manifest)]),
    '` of the backup is damaged',
  ],
  [
    'a longer content',
    () => Buffer.concat([entry(nameOf(), `${text}.`), entry(manifestName, manifest)]),
    'has 14 bytes instead of 13',
  ],
  ['a symbolic link', () => Buffer.concat([entry(nameOf(), '', '2'), whole()]), '` of the backup is no regular file'],
  ['a hard link', () => Buffer.concat([entry(nameOf(), '', '1'), whole()]), '` of the backup is no regular file'],
  ['a manifest that is a link', () => Buffer.concat([entry(manifestName, '', '2'), whole()]), 'is no regular file'],
  ['two manifests', () => Buffer.concat([entry(manifestName, manifest), whole()]), 'has `manifest.json` twice'],
])('names what is wrong with an archive of %s', async (_name, archive, wrong) => {
  await expect(read(archive())).rejects.toThrow(wrong);
  await expect(read(archive(), false)).rejects.toThrow(wrong);
});

it('reads no entry that leads elsewhere, and passes over what is no part of a backup', async () => {
  const before = [
    entry('../../outside', 'x'),
    entry('/etc/passwd', 'x'),
    entry('tables/../b', 'x'),
    entry('dev', '', '3'),
  ];
  expect(await read(Buffer.concat([...before, whole()]))).toBe(text);
});

it('reads no manifest of another size than the memory has', async () => {
  const header = tarHeader(manifestName, 2 ** 31);
  await expect(read(header)).rejects.toThrow('`manifest.json` is too long');
});

it('names a file of a directory that has changed since it was checked', async () => {
  const source = await openDirectory(directory, vault);
  await checkFiles(shown, source, source.manifest);
  await writeFile(join(directory, nameOf()), 'rows of other');
  await expect(buffer(contentOf(source, files))).rejects.toThrow(`\`${nameOf()}\` of the backup is damaged`);
  await rm(join(directory, nameOf()));
  await expect(buffer(contentOf(source, files))).rejects.toThrow(`\`${nameOf()}\` of the backup is missing`);
});

it('reads no manifest behind a link', async () => {
  await rm(join(directory, manifestName));
  await symlink('/dev/zero', join(directory, manifestName));
  await expect(openDirectory(directory, vault)).rejects.toThrow('`manifest.json` is no regular file');
});
