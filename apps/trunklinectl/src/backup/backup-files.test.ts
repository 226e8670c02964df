import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { promisify } from 'node:util';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createSecretVault } from '@trunkline/db';
import { canLock } from '@trunkline/runtime/concurrency';
import { claimDirectory, openDirectorySink, removeLeftovers, removeOthers } from './directory-sink.ts';
import { whileDirectoryIsLocked, whileDirectoryIsRead } from './lock-directory.ts';
import { encodeManifest, readManifest } from './manifest.ts';
import { openSpool, writeParts } from './sink.ts';
import { openTarSink } from './tar-sink.ts';

if (!canLock) console.warn('Not run: the lock of a directory. /usr/bin/flock, of util-linux, is missing.');

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trunkline-backup-'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  return rm(directory, { recursive: true, force: true });
});

const megabytes = (count: number) => Readable.from(Array.from({ length: count }, (_, at) => Buffer.alloc(1 << 20, at)));

it('writes parts of 8 MB, and none for nothing', async () => {
  const sink = openDirectorySink(directory);
  const files = await writeParts(sink, 'tables/a/users', megabytes(9));
  expect(files.map(({ name, bytes }) => [name, bytes])).toEqual([
    ['tables/a/users.1', 8 << 20],
    ['tables/a/users.2', 1 << 20],
  ]);
  const second = await readFile(join(directory, 'tables/a/users.2'));
  expect(second.equals(Buffer.alloc(1 << 20, 8))).toBe(true);
  expect(await writeParts(sink, 'tables/a/names', megabytes(0))).toEqual([]);
});

it('refuses a directory with files of others, and goes on in one where a backup was begun', async () => {
  const path = join(directory, 'new');
  await claimDirectory(path);
  await whileDirectoryIsLocked(path, { err: () => {} }, async () => {});
  await writeFile(join(path, 'other'), '');
  await claimDirectory(path);
  await rm(join(path, 'trunkline-backup.txt'));
  await expect(claimDirectory(path)).rejects.toThrow('is not empty, and no backup was begun in it');
});

it.runIf(canLock)('lets nobody else use a directory while a backup is written to it', async () => {
  const said: string[] = [];
  const terminal = { err: (text: string) => void said.push(text) };
  const refused = `another backup or restore uses ${directory}`;
  await whileDirectoryIsLocked(directory, terminal, async () => {
    const nothing = async () => {};
    await expect(whileDirectoryIsLocked(directory, terminal, nothing)).rejects.toThrow(refused);
    await expect(whileDirectoryIsRead(directory, terminal, nothing)).rejects.toThrow(refused);
  });
  expect(await whileDirectoryIsRead(directory, terminal, async () => 'read')).toBe('read');
  await rm(join(directory, 'trunkline-backup.txt'));
  expect(await whileDirectoryIsRead(directory, terminal, async () => 'read')).toBe('read');
  expect(said).toEqual([]);
});

it('keeps a tree in a file without a name until it is written to a slow stream', async () => {
  vi.stubEnv('TMPDIR', directory);
  const spool = await openSpool();
  await writeParts(spool, 'repositories/ab/one', megabytes(9));
  expect(await readdir(directory)).toEqual([]);
  const written: [string, Buffer][] = [];
  await spool.forward({ write: async (name, content) => void written.push([name, content]) });
  await spool.close();
  const [first, second] = written;
  expect([first?.[0], second?.[0]]).toEqual(['repositories/ab/one.1', 'repositories/ab/one.2']);
  expect(Buffer.concat(written.map(([, content]) => content)).equals(await buffer(megabytes(9)))).toBe(true);
  expect(second?.[1].length).toBe(1 << 20);
});

it('writes an archive of which tar makes the same files', async () => {
  const output = new PassThrough();
  const read = buffer(output);
  const sink = openTarSink(output);
  await Promise.all([
    sink.write('tables/a/one.1', Buffer.from('1')),
    sink.write('tables/a/two.1', Buffer.alloc(512, 50)),
  ]);
  await sink.finish(Buffer.from('{}\n'));
  output.end();
  await writeFile(join(directory, 'all.tar'), await read);
  await promisify(execFile)('tar', ['-x', '-C', directory, '-f', join(directory, 'all.tar')]);
  expect(await readFile(join(directory, 'tables/a/one.1'), 'utf8')).toBe('1');
  expect(await readFile(join(directory, 'tables/a/two.1'), 'utf8')).toBe('2'.repeat(512));
  expect(await readFile(join(directory, 'manifest.json'), 'utf8')).toBe('{}\n');
});

it('removes files that the manifest does not name', async () => {
  const sink = openDirectorySink(directory);
  await sink.write('repositories/ab/one.1', Buffer.from('1'));
  await sink.write('repositories/ab/former.1', Buffer.from('1'));
  await sink.write('tables/former/users.1', Buffer.from('1'));
  await removeOthers(directory, new Set(['repositories/ab/one.1']));
  expect(await readdir(join(directory, 'tables'))).toEqual([]);
  expect(await readdir(join(directory, 'repositories/ab'))).toEqual(['one.1']);
});

it('writes, and removes, nothing behind a link', async () => {
  const path = join(directory, 'new');
  const outside = join(directory, 'outside');
  await mkdir(outside);
  await mkdir(path);
  await writeFile(join(outside, 'kept'), '');
  const sink = openDirectorySink(path);
  await sink.finish(Buffer.from('{}\n'));
  await mkdir(join(path, 'repositories'));
  await symlink(outside, join(path, 'repositories/ab'));
  await expect(sink.write('repositories/ab/kept', Buffer.from('1'))).rejects.toThrow('ab is no directory');
  await removeOthers(path, new Set());
  await symlink(outside, join(path, 'tables'));
  await expect(claimDirectory(path)).rejects.toThrow('tables is no directory');
  expect(await readFile(join(outside, 'kept'), 'utf8')).toBe('');
});

it('removes what runs that were cut off have left, unless it does not know what that is', async () => {
  const sink = openDirectorySink(directory);
  const files = await writeParts(sink, 'tables/a/users', megabytes(1));
  await sink.write('repositories/ab/left.1', Buffer.from('1'));
  const list = () => readdir(directory, { recursive: true });
  await removeLeftovers(directory);
  expect(await list()).toContain('repositories/ab/left.1');
  await sink.finish(Buffer.from('damaged'));
  await removeLeftovers(directory);
  expect(await list()).toContain('repositories/ab/left.1');
  const lists = { sequences: [], secretIds: [], storages: [], repositories: [], missing: [] };
  const id = '6b3d9a52-0f05-4d9b-9a64-6b8e8d6b5b11';
  const whole = { id, release: '0.2.0', takenAt: '', schema: 1, tables: [{ name: 'users', columns: ['id'], files }] };
  await sink.finish(encodeManifest({ ...whole, ...lists }, createSecretVault('a'.repeat(64))));
  await removeLeftovers(directory);
  expect((await list()).toSorted()).toEqual(
    ['manifest.json', 'repositories', 'tables', 'tables/a', 'tables/a/users.1'].toSorted(),
  );
});

it('refuses manifests that are damaged, missing, or name files elsewhere', async () => {
  const sink = openDirectorySink(directory);
  await expect(readManifest(directory, null)).rejects.toThrow('`manifest.json` is missing');
  const file = { name: 'tables/../../etc/passwd', bytes: 1, sha256: 'a'.repeat(64) };
  const table = { name: 'users', columns: ['id'], files: [file] };
  const whole = { format: 1, id: '6b3d9a52-0f05-4d9b-9a64-6b8e8d6b5b11', release: '0.2.0', takenAt: '', schema: 1 };
  const manifest = {
    ...whole,
    tables: [table],
    sequences: [],
    secretIds: [],
    storages: [],
    repositories: [],
    missing: [],
  };
  for (const content of ['{', JSON.stringify(manifest), JSON.stringify({ ...manifest, tables: [], format: 2 })]) {
    await sink.finish(Buffer.from(content));
    await expect(readManifest(directory, null)).rejects.toThrow('is damaged');
  }
  await sink.finish(Buffer.from(JSON.stringify({ ...manifest, tables: [] })));
  expect(await readManifest(directory, null)).toMatchObject({ release: '0.2.0' });
});

it('takes a manifest for one of this instance only as it was written, under a secret that is known', async () => {
  const sink = openDirectorySink(directory);
  const [vault, other] = ['a', 'b'].map((character) => createSecretVault(character.repeat(64)));
  if (!vault || !other) throw new Error('there are two');
  const lists = { tables: [], sequences: [], storages: [], repositories: [], missing: [] };
  const whole = { id: '6b3d9a52-0f05-4d9b-9a64-6b8e8d6b5b11', release: '0.2.0', takenAt: '', schema: 1 };
  const written = encodeManifest({ ...whole, ...lists, secretIds: ['one'] }, vault);
  await sink.finish(written);
  expect(await readManifest(directory, vault)).toMatchObject({ secretIds: ['one'] });
  const rotated = createSecretVault('b'.repeat(64), ['a'.repeat(64)]);
  expect(await readManifest(directory, rotated)).toMatchObject({ secretIds: ['one'] });
  const refused = '`manifest.json` was not written under TRUNKLINE_SECRET';
  await expect(readManifest(directory, other)).rejects.toThrow(refused);

  const text = written.toString();
  const unsigned = text.replace(/"hmac":"\w+"/, `"hmac":"${'0'.repeat(64)}"`);
  for (const changed of [text.replace('one', 'two'), text.replace(/"hmac":"\w+",/, ''), unsigned, ` ${text}`]) {
    expect(changed).not.toBe(text);
    await sink.finish(Buffer.from(changed));
    await expect(readManifest(directory, vault)).rejects.toThrow(refused);
    expect(await readManifest(directory, null)).toMatchObject({ release: '0.2.0' });
  }
});
