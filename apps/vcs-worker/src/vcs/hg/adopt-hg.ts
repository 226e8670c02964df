import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  notAdoptable,
  originalConfigurationPath,
  readPlainFile,
  replaceConfiguration,
  requirePlainTree,
} from '../adoption.ts';

/** Requirements that Mercurial 6.3 supports without an extension and that point to no other repository. */
const readableRequirements = new Set([
  'bookmarksinstore',
  'dirstate-tracked-key-v1',
  'dirstate-v2',
  'dotencode',
  'fncache',
  'generaldelta',
  'persistent-nodemap',
  'revlog-compression-zstd',
  'revlogv1',
  'share-safe',
  'sparserevlog',
  'store',
]);

/** Returns the text of the `.hg/hgrc` that Trunkline writes into each repository. */
export function ownConfiguration(repositoryUuid: string): string {
  return `[trunkline]\nuuid = ${repositoryUuid}\n`;
}

/** Symbolic links that Mercurial makes itself and never follows: locks, whose targets name the holders, and probes. */
const ownLinks = new Set(['wlock', 'store/lock', 'cache/checklink', 'wcache/checklink']);

function requireReadable(requirements: string): void {
  for (const requirement of requirements.split('\n').map((line) => line.trim())) {
    if (requirement !== '' && !readableRequirements.has(requirement)) {
      throw notAdoptable(`it requires \`${requirement.slice(0, 100)}\``);
    }
  }
}

/** Refuses a store with files of an interrupted transaction: its recovery would write to any path that they name. */
async function requireNoTransaction(store: string): Promise<void> {
  const names = await readdir(store);
  if (names.some((name) => name.startsWith('journal')))
    throw notAdoptable('a transaction was cut off: recover it first');
}

async function descriptionIn(metadata: string): Promise<string | null> {
  const configuration = join(metadata, 'hgrc');
  const text =
    (await readPlainFile(originalConfigurationPath(configuration))) ?? (await readPlainFile(configuration)) ?? '';
  const web = text.split(/^(?=\[)/m).find((section) => section.startsWith('[web]'));
  return /^description[ \t]*[=:][ \t]*(\S.*)$/m.exec(web ?? '')?.[1]?.trim() ?? null;
}

/** Replaces the configuration files in `.hg`, which hg never reads here (`HGRCSKIPREPO`), by Trunkline's. */
export async function replaceHgConfiguration(path: string, repositoryUuid: string): Promise<void> {
  const further = join(path, '.hg/hgrc-not-shared');
  if ((await readPlainFile(further)) !== null) await replaceConfiguration(further, '');
  await replaceConfiguration(join(path, '.hg/hgrc'), ownConfiguration(repositoryUuid));
}

/**
 * Throws VcsError `not-adoptable` for a repository that has links, is a share of another one or that Mercurial cannot
 * read; returns its own description. Runs no tool.
 */
export async function inspectHg(path: string): Promise<{ description: string | null }> {
  const metadata = join(path, '.hg');
  await requirePlainTree(metadata, (entry) => ownLinks.has(entry));
  if ((await readPlainFile(join(metadata, 'sharedpath'))) !== null) throw notAdoptable('it is a share of another one');
  const requirements = await readPlainFile(join(metadata, 'requires'));
  if (requirements === null) throw notAdoptable('it has no list of requirements');
  requireReadable(requirements);
  requireReadable((await readPlainFile(join(metadata, 'store/requires'))) ?? '');
  await requireNoTransaction(join(metadata, 'store'));
  return { description: await descriptionIn(metadata) };
}
