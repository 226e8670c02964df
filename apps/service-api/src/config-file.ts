import { lstat, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import { codeOf, UsageError } from './client-error.ts';
import { suggestion } from './check-names.ts';

/** The base URL of a service, and the API key to call it with. */
export interface Connection {
  readonly apihost: string;
  readonly apikey: string;
}

export type Members = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parseObject(text: string): Members | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Reads the members of a configuration file; none when it does not exist. */
async function readMembers(path: string): Promise<Members> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return '{}';
    throw new UsageError(`Could not read configuration file ${path}: ${codeOf(error)}`);
  });
  const members = parseObject(text);
  if (!members) throw new UsageError(`Configuration file ${path} is not a JSON object`);
  return members;
}

/** Returns the profiles of a configuration file by name. */
function profilesOf({ profiles }: Members): ReadonlyMap<string, Members> {
  if (!isObject(profiles)) return new Map();
  return new Map(Object.entries(profiles).flatMap(([name, one]) => (isObject(one) ? [[name, one] as const] : [])));
}

/** Returns host and key, as far as they are texts; other members are ignored. */
function connectionIn({ apikey, apihost }: Members): Partial<Connection> {
  return {
    ...(typeof apikey === 'string' ? { apikey } : {}),
    ...(typeof apihost === 'string' ? { apihost } : {}),
  };
}

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
