import type { Refs } from '../backend.ts';
import type { HgCommands } from './hg-commands.ts';

/** The lists of names that Mercurial prints; names are bytes, what is no UTF-8 is shown with replacement characters. */
export async function readHgRefs(hg: HgCommands, path: string): Promise<Refs> {
  const list = async (command: string, fields: readonly string[], options: readonly string[] = []) => {
    const template = `--template=${fields.map((field) => `{${field}}\\0`).join('')}\n`;
    const output = (await hg.read(path, [command, ...options, template])).toString('utf8');
    return output.split('\n').flatMap((line) => (line === '' ? [] : [line.split('\0')]));
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
