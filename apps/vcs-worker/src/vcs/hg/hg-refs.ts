import { nameText } from '@trunkline/runtime/text';
import type { DefaultRef, Refs } from '../backend.ts';
import type { HgCommands } from './hg-commands.ts';
import { literal } from './resolve-revision.ts';

/** Splits values that each end in NUL into rows of `width`. */
function rowsOf(output: string, width: number): string[][] {
  const values = output.split('\0').slice(0, -1);
  return Array.from({ length: values.length / width }, (_, row) => values.slice(row * width, (row + 1) * width));
}

/**
 * Returns bookmarks, branches and tags, without `tip`. The name of a fetched branch may hold line feeds, but no NUL.
 */
export async function readHgRefs(hg: HgCommands, path: string): Promise<Refs> {
  const list = async (command: string, fields: readonly string[], options: readonly string[] = []) => {
    const template = `--template=${fields.map((field) => `{${field}}\\0`).join('')}`;
    return rowsOf(nameText(await hg.run(path, [command, ...options, template])), fields.length);
  };
  const named = (rows: readonly string[][]) => new Map(rows.map(([name = '', rawId = '']) => [name, rawId]));
  const [bookmarks, branches, tags] = await Promise.all([
    list('bookmarks', ['bookmark', 'node']),
    list('branches', ['branch', 'node', 'closed'], ['--closed']),
    list('tags', ['tag', 'node']),
  ]);
  return {
    bookmarks: named(bookmarks),
    branches: named(branches.filter(([, , closed]) => closed !== 'True')),
    closedBranches: named(branches.filter(([, , closed]) => closed === 'True')),
    tags: named(tags.filter(([name]) => name !== 'tip')),
  };
}

/** The changesets that may be shown first: the bookmark `@`, the newest open heads of `default` and of all branches. */
const firstShown = [
  `present(bookmark(${literal('@')}))`,
  `max(present(branch(${literal('default')})) and head() and not closed())`,
  'max(head() and not closed())',
].join(' + ');

export async function readHgDefaultRef(hg: HgCommands, path: string): Promise<DefaultRef | null> {
  const template = "--template={node}\\0{branch}\\0{ifcontains('@', bookmarks, '@')}\\0";
  const rows = rowsOf(nameText(await hg.run(path, ['log', `--rev=${firstShown}`, template])), 3);
  const [marked = ''] = rows.find(([, , mark]) => mark === '@') ?? [];
  if (marked !== '') return { kind: 'bookmark', name: '@', rawId: marked };
  const [rawId = '', name = ''] = rows.find(([, branch]) => branch === 'default') ?? rows[0] ?? [];
  return rawId === '' ? null : { kind: 'branch', name, rawId };
}

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
