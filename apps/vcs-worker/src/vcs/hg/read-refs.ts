import type { Refs } from '../backend.ts';
import type { HgCommands } from './hg-commands.ts';

/** Splits values that each end in NUL into rows of `width`. */
function rowsOf(output: string, width: number): string[][] {
  const values = output.split('\0').slice(0, -1);
  return Array.from({ length: values.length / width }, (_, row) => values.slice(row * width, (row + 1) * width));
}

/**
 * Returns bookmarks, branches and tags, without `tip`. Names are bytes; those that are no UTF-8 become U+FFFD. The name
 * of a fetched branch may hold line feeds, but no NUL.
 */
export async function readHgRefs(hg: HgCommands, path: string): Promise<Refs> {
  const list = async (command: string, fields: readonly string[], options: readonly string[] = []) => {
    const template = `--template=${fields.map((field) => `{${field}}\\0`).join('')}`;
    return rowsOf((await hg.run(path, [command, ...options, template])).toString('utf8'), fields.length);
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
