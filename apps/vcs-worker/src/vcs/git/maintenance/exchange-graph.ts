import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { syncDirectory } from '../../../storage/durable.ts';
import { graphChainFile, graphDirectory, readChain, removeCommitGraph } from '../commit-graph.ts';
import { entriesOf } from './object-files.ts';

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
export async function exchangeGraph({ repository, staged, removesObjects }: GraphExchange): Promise<void> {
  const chain = await readChain(staged.path);
  const isSame = (await readChain(repository)) === staged.graphChain;
  if (isSame && chain !== '' && chain !== staged.graphChain) await replace(repository, staged.path, chain);
  else if (removesObjects && !(isSame && chain === staged.graphChain)) await removeCommitGraph(repository);
}
