import type { Comparison, ComparedPair, ComparisonQuery } from '../backend.ts';
import { VcsError } from '../vcs-error.ts';
import type { HgCommands } from './hg-commands.ts';
import { readHgEntries } from './hg-log.ts';

const id = (rawId: string) => `id("${rawId}")`;

/** Returns what names both repositories as one to Mercurial, which reads their changesets and writes to neither. */
function unionOf(path: string, { fromPath }: ComparedPair): string {
  if (fromPath === null) return path;
  // Mercurial would divide the name at any plus sign.
  if (`${path}${fromPath}`.includes('+')) throw new VcsError('too-large', 'a path with a plus sign in a union');
  return `union:${path}+${fromPath}`;
}

async function idsOf(hg: HgCommands, path: string, revset: string): Promise<string[]> {
  const output = await hg.run(path, ['log', `--rev=${revset}`, '--template={node}\n'], { mayBeLong: true });
  return output.toString('latin1').split('\n').filter(Boolean);
}

async function countOf(hg: HgCommands, path: string, revset: string): Promise<number> {
  return (await hg.run(path, ['log', `--rev=${revset}`, '--template=x'], { mayBeLong: true })).length;
}

export async function readHgMergeBase(hg: HgCommands, path: string, pair: ComparedPair): Promise<string | null> {
  const [base = null] = await idsOf(hg, unionOf(path, pair), `ancestor(${id(pair.from)}, ${id(pair.to)})`);
  return base;
}

/** Compares two changesets by five commands, whose work grows with what only one of them has. */
export async function compareHg(hg: HgCommands, path: string, query: ComparisonQuery): Promise<Comparison> {
  const { from, to, fromPath, limit, skip } = query;
  const both = unionOf(path, query);
  const ofTo = `only(${id(to)}, ${id(from)})`;
  const base = await readHgMergeBase(hg, path, query);
  const ahead = await countOf(hg, both, ofTo);
  const behind = await countOf(hg, both, `only(${id(from)}, ${id(to)})`);
  const page = `limit(sort(${ofTo}, -rev), ${limit}, ${skip})`;
  const ids = fromPath === null ? null : await idsOf(hg, both, page);
  // The numbers of changesets are those of their own repository.
  const revset = ids === null ? page : `sort(${ids.map(id).join(' + ')}, -rev)`;
  const changesets = ids?.length === 0 ? [] : await readHgEntries(hg, path, [`--rev=${revset}`]);
  return { base, ahead, behind, changesets };
}
