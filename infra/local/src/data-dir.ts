import {
  accessSync,
  chmodSync,
  constants,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import { createHash } from 'node:crypto';
import { basename, dirname, join, resolve } from 'node:path';
import { lchown, opendir } from 'node:fs/promises';
import type { SystemUser } from './process/system-users.ts';
import { StartError } from './start-error.ts';

function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}

function mayEnter(stats: Stats, { uid, gid }: SystemUser): boolean {
  const bit = stats.uid === uid ? 0o100 : stats.gid === gid ? 0o010 : 0o001;
  return (stats.mode & bit) !== 0;
}

/** Finds the outermost directory on the way to (and including) `dir` that `user` cannot enter; null without one. */
export function findClosedDir(dir: string, user: SystemUser): string | null {
  const parent = dirname(dir);
  const above = parent === dir ? null : findClosedDir(parent, user);
  return above ?? (mayEnter(statSync(dir), user) ? null : dir);
}

/** Refuses a directory whose files another user could replace: it holds the secret, keys and the data of Postgres. */
function requireOwn(dir: string): void {
  const stats = statSync(dir);
  if (!stats.isDirectory()) throw new StartError(`${dir} is not a directory`);
  const refused = (why: string) => new StartError(`The data directory ${dir} cannot be used: ${why}`);
  if (stats.uid !== process.geteuid?.()) throw refused(`it belongs to user id ${stats.uid}: start as that user`);
  if ((stats.mode & 0o002) !== 0) throw refused('every user can write to it (chmod o-w it)');
}

function makeDir(dir: string, user: SystemUser | null): void {
  const mode = user === null ? 0o700 : 0o711;
  const first = mkdirSync(dir, { recursive: true, mode });
  // The umask may have removed the right to enter from the directories that mkdir created.
  if (first !== undefined && user !== null) {
    for (let created = dir; created.length >= first.length; created = dirname(created)) chmodSync(created, mode);
  }
  requireOwn(dir);
  accessSync(dir, constants.R_OK | constants.W_OK | constants.X_OK);
}

/**
 * Creates the data directory of a stack if necessary, and checks that it is writable and that `user`, as whom Postgres
 * runs when this process is root, can enter it. Returns its real path; throws StartError with the reason when the
 * directory cannot be used.
 */
export function prepareDataDir(path: string, user: SystemUser | null): string {
  try {
    makeDir(resolve(path), user);
  } catch (error) {
    if (error instanceof StartError) throw error;
    const code = errorCode(error);
    const why =
      code === 'EEXIST' || code === 'ENOTDIR'
        ? 'a file exists at this path or above it'
        : `cannot be written (${code})`;
    throw new StartError(`The data directory ${resolve(path)} cannot be used: ${why}`);
  }
  const dir = realpathSync(path);
  if (user === null) return dir;
  // An empty directory, as `mktemp -d` makes them, is meant for this use, so that its mode may be changed.
  if (readdirSync(dir).length === 0 && !mayEnter(statSync(dir), user)) chmodSync(dir, 0o711);
  const closed = findClosedDir(dir, user);
  if (closed === null) return dir;
  throw new StartError(
    `The data directory ${dir} cannot be used: Postgres does not run as root, and its user cannot enter ${closed} ` +
      '(chmod o+x it, or choose another TRUNKLINE_DATA_DIR)',
  );
}

/**
 * Prepares and returns the data directory of a checkout: `requested`, else `.trunkline/` in the checkout, else (for
 * root in a checkout that the user of Postgres cannot enter) a directory of this checkout below `systemDir`.
 */
export function chooseDataDir(options: {
  requested: string | null;
  checkout: string;
  systemDir: string;
  user: SystemUser | null;
}): string {
  const { requested, checkout, systemDir, user } = options;
  if (requested !== null) return prepareDataDir(requested, user);
  if (user === null || findClosedDir(checkout, user) === null)
    return prepareDataDir(join(checkout, '.trunkline'), user);
  const hash = createHash('sha256').update(checkout).digest('hex').slice(0, 8);
  return prepareDataDir(join(systemDir, `${basename(checkout)}-${hash}`), user);
}

async function giveEntries(path: string, { uid, gid }: SystemUser): Promise<void> {
  for await (const entry of await opendir(path)) {
    const child = join(path, entry.name);
    if (entry.isDirectory()) await giveEntries(child, { uid, gid });
    await lchown(child, uid, gid);
  }
}

/**
 * Makes a directory, if it is missing, and gives it to a user with everything in it; null is the user of this process.
 * The directory itself comes last, so that a start that was interrupted is continued by the next one. Follows no link.
 */
export async function giveDirectory(path: string, user: SystemUser | null): Promise<void> {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  if (user === null) return;
  const { uid } = lstatSync(path);
  if (uid === user.uid) return;
  if (uid !== 0) {
    throw new StartError(`${path} belongs to user id ${uid}: start as that user, or give it to user id ${user.uid}`);
  }
  await giveEntries(path, user);
  lchownSync(path, user.uid, user.gid);
}
