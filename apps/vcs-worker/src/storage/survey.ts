import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { probePath } from '@trunkline/runtime';
import { hasCode } from '../has-code.ts';
import { isUuid } from '../is-uuid.ts';
import { accessProblem } from './access-problem.ts';
import { isPushDirectory } from './push-directories.ts';

/** An entry of staging or trash that belongs to an operation. */
interface StoredEntry {
  /** Path below the storage's root. */
  readonly path: string;
  readonly operationId: string;
  /**
   * Time of the move to the trash, in milliseconds; 0 for an entry of staging, also after it was cleared to the trash.
   */
  readonly time: number;
}

/** Entries of Trunkline's own directories, classified by name. */
export interface Survey {
  readonly repositories: readonly string[];
  readonly staged: readonly StoredEntry[];
  readonly trashed: readonly StoredEntry[];
  /** Entries with a name that Trunkline never gives. */
  readonly foreign: readonly string[];
  /** Directories that this worker may not read or change, and why. */
  readonly inaccessible: readonly { readonly path: string; readonly problem: string }[];
}

/** Grammar of the names of entries: `[time.]operation[.attempt]`. */
const entryGrammar = /^(?:(?<time>\d+)\.)?(?<id>[0-9a-f-]{36})(?:\.(?<attempt>\d+))?$/;

/** Parses the name of an entry of staging or trash; returns undefined for a name that Trunkline never gives. */
export function parseEntryName(name: string): { id: string; time: number; attempt: number } | undefined {
  const parts = entryGrammar.exec(name)?.groups;
  return parts && { id: parts['id'] ?? '', time: Number(parts['time'] ?? 0), attempt: Number(parts['attempt'] ?? 0) };
}

type Inaccessible = Survey['inaccessible'][number];

/** Directories that are looked at at once: a network file system answers each after a round trip. */
const looksMax = 16;

async function findInaccessible(root: string, paths: readonly string[]): Promise<Inaccessible[]> {
  const found: Inaccessible[] = [];
  for (let from = 0; from < paths.length; from += looksMax) {
    const some = paths.slice(from, from + looksMax);
    const problems = await Promise.all(some.map((path) => accessProblem(join(root, path))));
    found.push(...some.flatMap((path, at) => (problems[at] === undefined ? [] : [{ path, problem: problems[at] }])));
  }
  return found;
}

async function below(root: string, directory: string): Promise<string[]> {
  try {
    const entries = await readdir(join(root, directory));
    // The root of an ext4 file system has a directory `lost+found`.
    return entries.filter((entry) => entry !== 'lost+found').map((entry) => `${directory}/${entry}`);
  } catch (error) {
    // Those that may not be read are found by themselves.
    if (hasCode(error, 'ENOENT', 'ENOTDIR', 'EACCES', 'EPERM')) return [];
    throw error;
  }
}

const lastOf = (path: string) => path.slice(path.lastIndexOf('/') + 1);

/** Returns the uuid in the path of a repository below `@repos`, to which a move adds an epoch. */
export function uuidIn(path: string): string | undefined {
  const [, uuid = ''] = /^([^.]+)(?:\.[1-9]\d*)?$/.exec(lastOf(path)) ?? [];
  return isUuid(uuid) ? uuid : undefined;
}

function isRepositoryPath(path: string): boolean {
  const [, prefix = '', name = ''] = path.split('/');
  return uuidIn(path) !== undefined && name.startsWith(prefix);
}

function toEntries(paths: readonly string[]): StoredEntry[] {
  return paths.flatMap((path) => {
    const parsed = parseEntryName(lastOf(path));
    return parsed ? [{ path, operationId: parsed.id, time: parsed.time }] : [];
  });
}

export async function surveyStorage(root: string): Promise<Survey> {
  const entries = await below(root, '@repos');
  const prefixes = entries.filter((path) => /^[0-9a-f]{2}$/.test(lastOf(path)));
  const repositories = (await Promise.all(prefixes.map((prefix) => below(root, prefix)))).flat();
  // A push that arrives has no operation yet; sweeps remove what dead processes leave of one.
  const staged = (await below(root, '@staging')).filter((path) => !isPushDirectory(lastOf(path)));
  const trashed = await below(root, '@trash');
  const own = ['@repos', '@staging', '@trash', ...prefixes];
  return {
    repositories: repositories.filter(isRepositoryPath),
    staged: toEntries(staged),
    trashed: toEntries(trashed),
    foreign: [
      ...entries.filter((path) => !prefixes.includes(path)),
      ...repositories.filter((path) => !isRepositoryPath(path)),
      ...[...staged, ...trashed].filter((path) => path !== probePath && !entryGrammar.test(lastOf(path))),
    ],
    inaccessible: await findInaccessible(root, [...own, ...repositories, ...staged, ...trashed]),
  };
}
