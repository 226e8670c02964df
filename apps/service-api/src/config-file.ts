import { randomUUID } from 'node:crypto';
import { lstat, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { UsageError } from './client-error.ts';
import { connectionIn, profilesOf, readMembers, type Members } from './config-members.ts';
import type { Connection } from './connection.ts';
import { suggestion } from './closest-name.ts';
import { codeOf } from './failure-reason.ts';

/** Returns the names of the profiles in a configuration file, sorted. */
export async function readProfileNames(path: string): Promise<readonly string[]> {
  return [...profilesOf(await readMembers(path)).keys()].toSorted();
}

/**
 * Reads host and key from a configuration file, those of a profile when one is named. Returns an empty object when the
 * file does not exist; throws UsageError for a profile that is not in it.
 */
export async function readConfigFile(path: string, profile?: string): Promise<Partial<Connection>> {
  const members = await readMembers(path);
  if (profile === undefined) return connectionIn(members);
  const profiles = profilesOf(members);
  const found = profiles.get(profile);
  if (found) return connectionIn(found);
  const meant = suggestion(profile, [...profiles.keys()]);
  throw new UsageError(`No profile ${JSON.stringify(profile)} in configuration file ${path}${meant}`);
}

async function replaceFile(path: string, text: string): Promise<void> {
  const draft = `${path}.${randomUUID()}`;
  try {
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

async function writeMembers(path: string, members: Members): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await replaceFile(path, `${JSON.stringify(members, null, 4)}\n`);
  } catch (error) {
    throw new UsageError(`Could not write configuration file ${path}: ${codeOf(error)}`);
  }
}

type Written = 'created' | 'updated';

/**
 * Writes host and key, without a profile, atomically to a file that is readable by its owner only; keeps the profiles.
 * Returns whether the file was created or replaced: a file that is no JSON object is replaced, too.
 */
export async function writeConfigFile(path: string, { apikey, apihost }: Connection): Promise<Written> {
  const existed = await lstat(path).then(
    () => true,
    () => false,
  );
  const { profiles } = await readMembers(path).catch((): Members => ({}));
  await writeMembers(path, { apikey, apihost, ...(profiles === undefined ? {} : { profiles }) });
  return existed ? 'updated' : 'created';
}

/** Writes host and key of one profile in the same way, and keeps all else that the file has. */
export async function writeProfile(path: string, name: string, { apikey, apihost }: Connection): Promise<Written> {
  const members = await readMembers(path);
  const profiles = profilesOf(members);
  const changed = Object.fromEntries([...profiles, [name, { ...profiles.get(name), apikey, apihost }]]);
  await writeMembers(path, { ...members, profiles: changed });
  return profiles.has(name) ? 'updated' : 'created';
}
