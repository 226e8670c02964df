import { accessSync, chmodSync, constants, mkdirSync, readdirSync, realpathSync, statSync, type Stats } from 'node:fs';
import { createHash } from 'node:crypto';
import { basename, dirname, join, resolve } from 'node:path';
import type { SystemUser } from './process/system-user.ts';
import { StartError } from './start-error.ts';

function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}

function mayEnter(stats: Stats, { uid, gid }: SystemUser): boolean {
  const bit = stats.uid === uid ? 0o100 : stats.gid === gid ? 0o010 : 0o001;
  return (stats.mode & bit) !== 0;
}

/** The outermost directory on the way to (and including) `dir` that `user` cannot enter; null when there is none. */
export function findClosedDir(dir: string, user: SystemUser): string | null {
  const parent = dirname(dir);
  const above = parent === dir ? null : findClosedDir(parent, user);
  return above ?? (mayEnter(statSync(dir), user) ? null : dir);
}

function makeDir(dir: string, user: SystemUser | null): void {
  const mode = user === null ? 0o700 : 0o711;
  const first = mkdirSync(dir, { recursive: true, mode });
  if (first !== undefined && user !== null) {
    for (let made = dir; made.length >= first.length; made = dirname(made)) chmodSync(made, mode);
  }
  if (!statSync(dir).isDirectory()) throw new StartError(`${dir} is not a directory`);
  accessSync(dir, constants.R_OK | constants.W_OK | constants.X_OK);
}

/**
 * Makes `dir` ready to hold the data of a stack: there, writable, and open to the user Postgres runs as.
 * Throws StartError with the reason when it cannot serve.
 */
export function prepareDataDir(path: string, user: SystemUser | null): string {
  try {
    makeDir(resolve(path), user);
  } catch (error) {
    if (error instanceof StartError) throw error;
    const code = errorCode(error);
    const why = code === 'EEXIST' || code === 'ENOTDIR' ? 'a file is in the way' : `cannot be written (${code})`;
    throw new StartError(`The data directory ${resolve(path)} cannot serve: ${why}`);
  }
  const dir = realpathSync(path);
  if (user === null) return dir;
  // An empty directory, as mktemp -d makes them, was given to us to use.
  if (readdirSync(dir).length === 0 && !mayEnter(statSync(dir), user)) chmodSync(dir, 0o711);
  const closed = findClosedDir(dir, user);
  if (closed === null) return dir;
  throw new StartError(
    `The data directory ${dir} cannot serve: Postgres does not run as root, and its user cannot enter ${closed} ` +
      '(chmod o+x it, or choose another TRUNKLINE_DATA_DIR)',
  );
}

/**
 * The data directory of a checkout: the one asked for, else `.trunkline/` in the checkout, else (for root in a
 * checkout that Postgres' user cannot enter) one of its own below `systemDir`.
 */
export function chooseDataDir(options: {
  asked: string | null;
  checkout: string;
  systemDir: string;
  user: SystemUser | null;
}): string {
  const { asked, checkout, systemDir, user } = options;
  if (asked !== null) return prepareDataDir(asked, user);
  if (user === null || findClosedDir(checkout, user) === null)
    return prepareDataDir(join(checkout, '.trunkline'), user);
  const hash = createHash('sha256').update(checkout).digest('hex').slice(0, 8);
  return prepareDataDir(join(systemDir, `${basename(checkout)}-${hash}`), user);
}
