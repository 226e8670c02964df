import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { notAdoptable } from '../adoption/not-adoptable.ts';
import { readPlainFile } from '../adoption/read-plain-file.ts';
import { beforeAdoption, replaceConfiguration } from '../adoption/replace-configuration.ts';
import { requirePlainTree } from '../adoption/require-plain-tree.ts';

/** What Mercurial 6.3 reads without an extension, and what leads nowhere else. */
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

/** What we write into a repository's own configuration. */
export function ownConfiguration(repositoryUuid: string): string {
  return `[trunkline]\nuuid = ${repositoryUuid}\n`;
}

/** Links that Mercurial makes itself and never follows: locks, which say who holds them, and a probe. */
const ownLinks = new Set(['wlock', 'store/lock', 'cache/checklink', 'wcache/checklink']);

function requireReadable(requirements: string): void {
  for (const requirement of requirements.split('\n').map((line) => line.trim())) {
    if (requirement !== '' && !readableRequirements.has(requirement)) {
      throw notAdoptable(`it requires \`${requirement.slice(0, 100)}\``);
    }
  }
}

/** Files of an interrupted transaction: recovering it would write to any path that they name. */
async function requireNoTransaction(store: string): Promise<void> {
  const names = await readdir(store);
  if (names.some((name) => name.startsWith('journal')))
    throw notAdoptable('a transaction was cut off: recover it first');
}

async function descriptionIn(metadata: string): Promise<string | null> {
  const configuration = join(metadata, 'hgrc');
  const text = (await readPlainFile(beforeAdoption(configuration))) ?? (await readPlainFile(configuration)) ?? '';
  const web = text.split(/^(?=\[)/m).find((section) => section.startsWith('[web]'));
  return /^description[ \t]*[=:][ \t]*(\S.*)$/m.exec(web ?? '')?.[1]?.trim() ?? null;
}

/** From here on the repository's configuration, which is never read, says nothing but what ours says. */
export async function defuseHg(path: string, repositoryUuid: string): Promise<void> {
  const further = join(path, '.hg/hgrc-not-shared');
  if ((await readPlainFile(further)) !== null) await replaceConfiguration(further, '');
  await replaceConfiguration(join(path, '.hg/hgrc'), ownConfiguration(repositoryUuid));
}

/** Refuses what leads elsewhere or cannot be read; answers the repository's own description. Runs no tool. */
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
