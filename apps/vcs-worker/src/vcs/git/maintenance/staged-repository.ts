import { copyFile, mkdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hasCode } from '../../../has-code.ts';
import type { Packing } from '../../maintenance.ts';
import { graphChainFile, graphDirectory, readChain } from '../commit-graph.ts';
import type { GitCommands } from '../git-commands.ts';
import { entriesOf, objectFiles, type ObjectFiles } from './object-files.ts';

/**
 * A repository in staging with the references of another one at one moment, and with links to its files: git works on
 * it as on any other, and writes nothing into the other one.
 */
export interface StagedRepository {
  readonly path: string;
  /** One line for each reference. */
  readonly refs: string;
  /** The files that were there when the links were made. */
  readonly files: ObjectFiles;
  /** Packs of unreachable objects that were left out, since they are old enough. */
  readonly leftOut: readonly string[];
  /** The list of the layers of the commit-graph; empty when there is none. */
  readonly graphChain: string;
}

const linkedAtOnce = 64;
const configuration = '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n';

/** Makes links below `objects` to files of the repository, unless they are there. */
export async function linkObjects(repository: string, staged: string, files: readonly string[]): Promise<void> {
  const directories = new Set(files.map((file) => dirname(file)));
  for (const directory of directories) await mkdir(join(staged, 'objects', directory), { recursive: true });
  for (let at = 0; at < files.length; at += linkedAtOnce) {
    const linked = files.slice(at, at + linkedAtOnce);
    await Promise.all(
      linked.map((file) =>
        symlink(join(repository, 'objects', file), join(staged, 'objects', file)).catch((error: unknown) => {
          if (!hasCode(error, 'EEXIST')) throw error;
        }),
      ),
    );
  }
}

/** Removes links below `objects`. */
export async function removeLinks(staged: string, files: readonly string[]): Promise<void> {
  for (const file of files) await rm(join(staged, 'objects', file), { force: true });
}

/** Returns all references with their ids, in an order that does not change. */
export async function readRefs(git: GitCommands, repository: string): Promise<string> {
  return (await git.run(repository, ['for-each-ref', '--format=%(objectname) %(refname)'])).toString('latin1');
}

/** Returns the packs of unreachable objects that are old enough to be removed, without their endings. */
async function agedPacks(repository: string, { packs }: ObjectFiles, keptMs: number): Promise<string[]> {
  const aged: string[] = [];
  for (const file of packs.filter((name) => name.endsWith('.mtimes'))) {
    const { mtimeMs } = await stat(join(repository, 'objects', file));
    if (mtimeMs <= Date.now() - keptMs) aged.push(file.slice(0, -'.mtimes'.length));
  }
  return aged;
}

/** Links the layers of the commit-graph and copies their list, which git would change through a link. */
async function linkGraph(repository: string, staged: string): Promise<void> {
  const layers = (await entriesOf(join(repository, 'objects', graphDirectory))).filter(({ name }) =>
    name.endsWith('.graph'),
  );
  await linkObjects(
    repository,
    staged,
    layers.map(({ name }) => `${graphDirectory}/${name}`),
  );
  const [from, to] = [join(repository, 'objects', graphChainFile), join(staged, 'objects', graphChainFile)];
  await copyFile(from, to).catch(ignoreMissing);
}

function ignoreMissing(error: unknown): void {
  if (!hasCode(error, 'ENOENT')) throw error;
}

/** Makes a staged repository. The references are read first, so that all to which they lead is there. */
export async function stageRepository(
  git: GitCommands,
  repository: string,
  { staging, unreachable, keptMs }: Packing,
): Promise<StagedRepository> {
  const path = join(staging, 'repository');
  for (const directory of ['objects/pack', 'objects/info', 'refs'])
    await mkdir(join(path, directory), { recursive: true });
  await writeFile(join(path, 'config'), configuration);
  await copyFile(join(repository, 'HEAD'), join(path, 'HEAD'));
  const graphChain = await readChain(repository);
  const refs = await readRefs(git, repository);
  await writeFile(join(path, 'packed-refs'), refs, 'latin1');
  const files = await objectFiles(repository);
  const leftOut = unreachable === 'aged' ? await agedPacks(repository, files, keptMs) : [];
  const isLinked = (file: string) => {
    // A pack that an operator has protected from packing may hold objects that are to be removed.
    if (unreachable === 'removed' && file.endsWith('.keep')) return false;
    return !leftOut.some((pack) => file.startsWith(`${pack}.`));
  };
  await linkObjects(repository, path, [...files.packs.filter(isLinked), ...files.loose]);
  if (unreachable !== 'removed') await symlink(join(repository, 'logs'), join(path, 'logs'));
  // A commit-graph with removed commits would answer for them.
  if (unreachable === 'kept') await linkGraph(repository, path);
  return { path, refs, files, leftOut, graphChain };
}
