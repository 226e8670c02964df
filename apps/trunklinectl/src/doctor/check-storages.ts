import { randomUUID } from 'node:crypto';
import { open, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { sizeText } from '@trunkline/contracts';
import { storages as table } from '@trunkline/db';
import { hasSpaceFor, probePath, probeStorage, type StorageHealth, type StorageSetting } from '@trunkline/runtime';
import type { DoctorSettings } from '../config.ts';
import { withDatabase } from '../with-database.ts';
import { findingsOf, type Finding } from './check.ts';

const { ok, warning, failure } = findingsOf('storages');

type Known = Pick<typeof table.$inferSelect, 'id' | 'name'>;

/** Reads the storages that the database knows; null when it does not answer, which another check tells. */
async function readKnown({ config }: DoctorSettings): Promise<readonly Known[] | null> {
  const url = config.TRUNKLINE_DATABASE_URL;
  if (url === undefined) return null;
  return withDatabase({ TRUNKLINE_DATABASE_URL: url }, (db) =>
    db.select({ id: table.id, name: table.name }).from(table),
  ).catch(() => null);
}

/** What to do for each state of a storage that is not as it should be. */
const problems: Readonly<Record<Exclude<StorageHealth['state'], 'ok'>, readonly [what: string, todo: string]>> = {
  'no-marker': ['has no marker of a storage', 'Mount the right disk, or correct the path.'],
  foreign: ['has the marker of another storage', 'Mount the right disk, or correct name and path.'],
  full: ['is nearly full', 'Make space, add a storage, or move repositories away (docs/running/storages.md).'],
  'read-only': ['cannot be written by this user', 'Mount it writable, and run this as the user of the workers.'],
  failing: ['fails', 'Look at the disk and at the log of the kernel.'],
};

/** Share of a storage's size which it should have above the limit below which it is full. */
const spareShare = 0.1;

/** Does with a file what workers do with repositories: write, sync, rename, sync the directory. */
async function tryDurable(root: string): Promise<void> {
  const target = join(root, probePath);
  const written = `${target}.${randomUUID()}`;
  try {
    const file = await open(written, 'wx');
    try {
      await file.writeFile('probe\n');
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(written, target);
    const directory = await open(join(target, '..'), 'r');
    try {
      await directory.sync();
    } finally {
      await directory.close();
    }
  } finally {
    await rm(written, { force: true });
    await rm(target, { force: true });
  }
}

async function checkKnown({ name, root }: StorageSetting, id: string, freeBytesMin: number): Promise<Finding> {
  const { state, freeBytes, totalBytes } = await probeStorage({ root, id, freeBytesMin });
  if (state !== 'ok') {
    const [what, todo] = problems[state];
    return failure(`The storage \`${name}\` in ${root} ${what}.`, todo);
  }
  try {
    await tryDurable(root);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    const what = `The storage \`${name}\` in ${root} cannot sync or rename files (${code}).`;
    return failure(what, 'Use a local file system, or NFS 4 with locks (docs/running/storages.md).');
  }
  const left = freeBytes === null ? 'an unknown size' : sizeText(freeBytes);
  if (!(await hasSpaceFor({ root, id, freeBytesMin }, (totalBytes ?? 0) * spareShare))) {
    return warning(`The storage \`${name}\` in ${root} is filling: it has ${left} left.`, problems.full[1]);
  }
  const { uid } = await stat(root);
  if (uid !== (process.getuid?.() ?? uid)) {
    const what = `The storage \`${name}\` was checked as another user than its owner (${uid}), who may have other rights.`;
    return warning(what, 'Run this as the user of the workers.');
  }
  return ok(`The storage \`${name}\` can be written and synced, and has ${left} left.`);
}

async function checkStorage(settings: DoctorSettings, one: StorageSetting, known: readonly Known[]): Promise<Finding> {
  const { TRUNKLINE_STORAGE_CREATE: created = [], TRUNKLINE_STORAGE_FREE_BYTES_MIN: freeBytesMin = 0 } =
    settings.config;
  const row = known.find(({ name }) => name === one.name);
  if (row) return checkKnown(one, row.id, freeBytesMin);
  if (known.length === 0 || created.includes(one.name)) {
    return ok(`The storage \`${one.name}\` is new: the first worker that names it makes it.`);
  }
  const todo = 'Correct the name, or name it in TRUNKLINE_STORAGE_CREATE if it is to be a new one.';
  return failure(`The database knows no storage \`${one.name}\`.`, todo);
}

/** Checks the directories of this machine's storages: marker, rights, durability and free space. */
export async function checkStorages(settings: DoctorSettings): Promise<readonly Finding[]> {
  if (settings.storages.length === 0) return [ok('No storage is set here.')];
  const known = await readKnown(settings);
  if (!known) {
    return [warning('Storages cannot be checked without the database.', 'See what is found of the database.')];
  }
  return Promise.all(settings.storages.map((one) => checkStorage(settings, one, known)));
}
