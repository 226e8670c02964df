import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { hasCode } from '../../../has-code.ts';
import { syncDirectory } from '../../../storage/durable.ts';
import type { PackedFiles } from '../../maintenance.ts';
import { VcsError } from '../../vcs-error.ts';
import { graphChainFile, graphDirectory, readChain, removeCommitGraph } from '../commit-graph.ts';
import type { GitCommands } from '../git-commands.ts';
import { entriesOf, objectFiles } from './object-files.ts';
import { linkObjects, readRefs, type StagedRepository } from './staged-repository.ts';

interface GraphExchange {
  readonly repository: string;
  readonly staged: { readonly path: string; readonly graphChain: string };
  /** Whether the present commit-graph may know commits that are gone. */
  readonly removesObjects: boolean;
}

/** Replaces the layers of a repository's commit-graph, their list in between, so that each list names existing ones. */
async function replace(repository: string, staged: string, chain: string): Promise<void> {
  const [from, to] = [join(staged, 'objects', graphDirectory), join(repository, 'objects', graphDirectory)];
  await mkdir(to, { recursive: true });
  for (const entry of await entriesOf(from)) {
    if (entry.isFile() && entry.name.endsWith('.graph')) await rename(join(from, entry.name), join(to, entry.name));
  }
  await rename(join(staged, 'objects', graphChainFile), join(repository, 'objects', graphChainFile));
  await syncDirectory(to);
  const named = new Set(chain.split('\n').map((id) => `graph-${id}.graph`));
  await rm(join(repository, 'objects/info/commit-graph'), { force: true });
  for (const { name } of await entriesOf(to)) {
    if (name.endsWith('.graph') && !named.has(name)) await rm(join(to, name), { force: true });
  }
}

/** Takes over the commit-graph that was written in staging, unless another one has been written meanwhile. */
async function exchangeGraph({ repository, staged, removesObjects }: GraphExchange): Promise<void> {
  const chain = await readChain(staged.path);
  const isSame = (await readChain(repository)) === staged.graphChain;
  if (isSame && chain !== '' && chain !== staged.graphChain) await replace(repository, staged.path, chain);
  else if (removesObjects && !(isSame && chain === staged.graphChain)) await removeCommitGraph(repository);
}

const midx = 'multi-pack-index';
/** Time for which files are moved while other operations wait. */
const moveMsMax = 500;

/** The order in which files come: a pack is there once it has an index, and the index of several packs names all others. */
function rank(name: string): number {
  if (name === midx) return 2;
  return name.endsWith('.idx') ? 1 : 0;
}

interface Exchange {
  readonly git: GitCommands;
  /** Runs what others wait for while the repository is held. */
  readonly holding: GitCommands;
  readonly repository: string;
  readonly staged: StagedRepository;
  readonly removesObjects: boolean;
  /** Directory in staging to which replaced files are moved. */
  readonly gone: string;
}

/** Moves files out of the repository for a while; returns those that are left. Those that are gone were moved before. */
async function moveAway({ repository, gone }: Exchange, files: readonly string[]): Promise<string[]> {
  const until = performance.now() + moveMsMax;
  let moved = 0;
  for (const file of files) {
    if (performance.now() >= until) break;
    const to = join(gone, file.replaceAll('/', '-'));
    await rename(join(repository, 'objects', file), to).catch((error: unknown) => {
      if (!hasCode(error, 'ENOENT')) throw error;
    });
    moved += 1;
  }
  return files.slice(moved);
}

/** Returns the names of files in staging: those that git has made there, or links that it has left. */
async function stagedNames({ staged: { path } }: Exchange, kind: 'made' | 'links'): Promise<string[]> {
  const entries = await entriesOf(join(path, 'objects/pack'));
  const isWanted = (one: (typeof entries)[number]) => (kind === 'links' ? one.isSymbolicLink() : one.isFile());
  return entries.filter((one) => isWanted(one) && /^(?:pack|multi-pack-index)/.test(one.name)).map(({ name }) => name);
}

/** Returns what the new files replace, as paths below `objects`: an index before what it names. */
async function replacedFiles(exchange: Exchange, made: readonly string[]): Promise<string[]> {
  const { files, path } = exchange.staged;
  const stays = new Set([...made, ...(await stagedNames(exchange, 'links'))]);
  const gone = (all: readonly string[]) => all.filter((file) => !stays.has(basename(file)));
  const byIndex = (a: string, b: string) => rank(basename(b)) - rank(basename(a));
  const left = new Set((await objectFiles(path)).loose);
  return [
    ...gone(exchange.staged.files.indexes).toSorted(byIndex),
    ...gone(files.packs).toSorted(byIndex),
    ...files.loose.filter((file) => !left.has(file)),
  ];
}

/** Throws VcsError unless all packs are there that the new files build upon. */
async function requireKept(exchange: Exchange): Promise<void> {
  for (const name of await stagedNames(exchange, 'links')) {
    await stat(join(exchange.repository, 'objects/pack', name)).catch((error: unknown) => {
      throw new VcsError('failed', `${name} has gone while the repository was packed`, { cause: error });
    });
  }
}

/**
 * Checks that all is there to which references lead that have changed: in the new files, or in what has come since.
 * Returns false when it is not.
 */
async function isComplete({ git, repository, staged: { path, refs, files } }: Exchange, now: string): Promise<boolean> {
  const known = new Set([...files.packs, ...files.loose]);
  const current = await objectFiles(repository);
  const arrived = [...current.packs, ...current.loose].filter((file) => !known.has(file));
  await linkObjects(repository, path, arrived);
  const idsOf = (text: string) => new Set(text.split('\n').flatMap((line) => line.slice(0, 40) || []));
  const before = idsOf(refs);
  const added = [...idsOf(now)].filter((id) => !before.has(id));
  const input = [...added, ...[...before].map((id) => `^${id}`), ''].join('\n');
  const connected = ['rev-list', '--objects', '--quiet', '--stdin'];
  return (await git.tryRun(path, connected, { input, mayBeLong: true })).exitCode === 0;
}

/** Returns the files that git has made in a staged repository, for the repository to which its links lead. */
export async function packedFiles(exchange: Exchange): Promise<PackedFiles> {
  const { git, holding, repository, removesObjects, staged } = exchange;
  const made = (await stagedNames(exchange, 'made')).toSorted((a, b) => rank(a) - rank(b));
  let replaced = await replacedFiles(exchange, made);
  // A power failure may bring replaced files back, which does harm only where they were to be gone.
  const synced = new Set(removesObjects ? replaced.map((file) => dirname(file)) : []);
  let seen = staged.refs;
  return {
    removesObjects,
    async settle() {
      const now = await readRefs(git, repository);
      if (now !== seen && removesObjects && !(await isComplete(exchange, now))) return false;
      seen = now;
      return true;
    },
    isCurrent: async () => !removesObjects || (await readRefs(holding, repository)) === seen,
    async add() {
      await requireKept(exchange);
      const packs = join(repository, 'objects/pack');
      await mkdir(packs, { recursive: true });
      for (let name = made[0]; name !== undefined; name = made[0]) {
        await rename(join(staged.path, 'objects/pack', name), join(packs, name));
        made.shift();
      }
      await syncDirectory(packs);
    },
    async removeReplaced() {
      await mkdir(exchange.gone, { recursive: true });
      replaced = await moveAway(exchange, replaced);
      if (replaced.length > 0) return false;
      for (const directory of synced) await syncDirectory(join(repository, 'objects', directory));
      await exchangeGraph(exchange);
      return true;
    },
  };
}
