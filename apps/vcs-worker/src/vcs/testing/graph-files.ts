import { createHash } from 'node:crypto';
import { chmod, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { git } from './tools.ts';

const noParent = 0x70_00_00_00;
const commitBytes = 36;

/** Returns the offset of a chunk of a commit-graph. */
function chunkAt(graph: Buffer, wanted: string): number {
  for (let entry = 8; ; entry += 12) {
    if (graph.toString('latin1', entry, entry + 4) === wanted) return Number(graph.readBigUInt64BE(entry + 4));
    if (graph.readUInt32BE(entry) === 0) throw new Error(`no chunk ${wanted}`);
  }
}

/** Returns the number of commits in a repository's chain of commit-graphs; 0 without a chain. */
export async function commitsInGraph(repository: string): Promise<number> {
  const directory = join(repository, 'objects/info/commit-graphs');
  const names = (await readdir(directory).catch(() => [])).filter((name) => name.endsWith('.graph'));
  const graphs = await Promise.all(names.map((name) => readFile(join(directory, name))));
  // The last of the 256 counts by first byte is the number of all commits.
  return graphs.reduce((sum, graph) => sum + graph.readUInt32BE(chunkAt(graph, 'OIDF') + 4 * 255), 0);
}

/** Removes the parents of a commit from the bytes of a commit-graph, in place. */
export function cutParents(graph: Buffer, rawId: string): void {
  const ids = chunkAt(graph, 'OIDL');
  const index = (graph.indexOf(Buffer.from(rawId, 'hex'), ids) - ids) / 20;
  const parents = chunkAt(graph, 'CDAT') + index * commitBytes + 20;
  graph.writeUInt32BE(noParent, parents);
  graph.writeUInt32BE(noParent, parents + 4);
}

/** Writes a commit-graph in which a commit has no parents and whose checksum is right, so that git accepts it. */
export async function forgeCommitGraph(repository: string, rawId: string): Promise<void> {
  await git(repository, `--git-dir=${repository}`, 'commit-graph', 'write', '--reachable');
  const file = join(repository, 'objects/info/commit-graph');
  const graph = await readFile(file);
  cutParents(graph, rawId);
  const content = graph.subarray(0, -20);
  await chmod(file, 0o644);
  await writeFile(file, Buffer.concat([content, createHash('sha1').update(content).digest()]));
}
