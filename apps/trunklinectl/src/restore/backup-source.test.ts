import { mkdir, mkdtemp, readFile, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { createSecretVault } from '@trunkline/db';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openDirectorySink } from '../backup/directory-sink.ts';
import { type BackupFile, encodeManifest, type Manifest } from '../backup/manifest.ts';
import { writeParts } from '../backup/sink.ts';
import { checkFiles, openDirectory } from './backup-source.ts';

const vault = createSecretVault('a'.repeat(64));
const uuid = '6b3d9a52-0f05-4d9b-9a64-6b8e8d6b5b11';
let directory: string;
let kinds: Record<'table' | 'repository' | 'former', BackupFile[]>;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trunkline-check-'));
  const sink = openDirectorySink(directory);
  const write = (stem: string) => writeParts(sink, stem, Readable.from([Buffer.from(`content of ${stem}`)]));
  kinds = {
    table: await write('tables/a/users'),
    repository: await write('repositories/6b/one'),
    former: await write('repositories/6b/former'),
  };
});
afterEach(() => rm(directory, { recursive: true, force: true }));

async function check() {
  const repository = (id: number, files: BackupFile[]): Manifest['repositories'][number] => ({
    ...{ id, name: `repo${id}`, uuid, type: 'git', storage: 'default', epoch: 1, generation: 1, files },
    ...{ sizeBytes: null, damaged: false },
    head: { epoch: 1, generation: 1, lastChangeset: null, defaultBranch: null, refs: '' },
  });
  const manifest = {
    tables: [{ name: 'users', columns: ['id'], files: kinds.table }],
    repositories: [repository(1, kinds.repository)],
    missing: [{ id: 2, name: 'repo2', reason: 'busy', former: repository(2, kinds.former) }],
  };
  const lists = { sequences: [], secretIds: [], storages: [] };
  await openDirectorySink(directory).finish(
    encodeManifest({ id: uuid, release: '0.2.0', takenAt: '', schema: 1, ...lists, ...manifest }, vault),
  );
  return checkFiles({ err: () => {}, columns: () => null }, await openDirectory(directory, vault), manifest);
}

const changes: Record<string, [(path: string) => Promise<unknown>, string]> = {
  'a flipped byte': [
    async (path) => {
      const content = await readFile(path);
      content[3] = (content[3] ?? 0) ^ 1;
      await writeFile(path, content);
    },
    'is damaged',
  ],
  'a cut end': [(path) => truncate(path, 5), 'has 5 bytes instead of'],
  'a missing file': [(path) => rm(path), 'is missing'],
  'a symbolic link to the same content': [
    async (path) => {
      await rename(path, `${path}.other`);
      await symlink(`${path}.other`, path);
    },
    'is no regular file',
  ],
  'a directory': [
    async (path) => {
      await rm(path);
      await mkdir(path);
    },
    'is no regular file',
  ],
};
const cases = (['table', 'repository', 'former'] as const).flatMap((kind) =>
  Object.entries(changes).map(([name, [change, text]]) => ({ kind, name, change, text })),
);

it.each(cases)('names the file of a $kind for $name', async ({ kind, change, text }) => {
  const name = kinds[kind][0]?.name ?? '';
  await expect(check()).resolves.toMatchObject({ files: 3 });
  await change(join(directory, name));
  await expect(check()).rejects.toThrow(`\`${name}\` of the backup ${text}`);
});

it('reads no file that the manifest does not name', async () => {
  await writeFile(join(directory, 'tables/a/other.1'), 'added');
  await expect(check()).resolves.toMatchObject({ files: 3 });
});
