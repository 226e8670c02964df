import type { HgCommands } from './hg-commands.ts';

/** Ids of one command, which has to stay below the limit of an argument. */
const idsMax = 500;

async function headsOf(hg: HgCommands, path: string): Promise<string[]> {
  const output = await hg.run(path, ['log', '--rev=heads(all())', '--template={node}\n']);
  return output.toString('latin1').split('\n').filter(Boolean);
}

/**
 * Returns whether a repository has a changeset that the other one lacks. Each changeset is below a head, those of
 * bookmarks and closed branches, too.
 */
export async function hgHasMore(hg: HgCommands, path: string, other: string): Promise<boolean> {
  const there = new Set(await headsOf(hg, other));
  const ids = (await headsOf(hg, path)).filter((id) => !there.has(id));
  for (let from = 0; from < ids.length; from += idsMax) {
    const chunk = ids.slice(from, from + idsMax);
    const revset = chunk.map((id) => `id("${id}")`).join('+');
    const found = await hg.run(other, ['log', `--rev=${revset}`, '--template={node}\n']);
    if (found.toString('latin1').split('\n').filter(Boolean).length < chunk.length) return true;
  }
  return false;
}
