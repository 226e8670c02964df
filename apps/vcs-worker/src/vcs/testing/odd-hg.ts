import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { hg, writeFiles } from './tools.ts';

export const oddNames = [
  'a b',
  ' spaced ',
  '"quoted"',
  "'",
  '-dash',
  '--config=x.y=z',
  're:x',
  'path:x',
  'set:x',
  'listfile:x',
  'glob*[a]?',
  '{rev}',
  '%H',
  '$HOME',
  '\\',
  'é',
  '\u{1f480}',
  '.hidden',
];
export const binary = Buffer.from([0, 1, 2, 255, 10, 13]);
/** File name in Latin-1, which is shown as `caf\ufffdE9`. */
const latin = Buffer.from('caf\xe9', 'latin1');

export async function freshHg(path: string): Promise<string> {
  await mkdir(path);
  await hg(path, 'init', '.');
  return path;
}

/** Commits all changes of the work tree and returns the id of the changeset. */
export async function commitAll(path: string, message: string, ...options: string[]): Promise<string> {
  const who = ['-u', 'Ann <ann@example.com>', '-d', '86400 0'];
  await hg(path, 'commit', '-q', '--addremove', ...who, '-m', message, ...options);
  return hg(path, 'log', '-r', '.', '-T', '{node}');
}

export interface OddHistory {
  readonly root: string;
  readonly change: string;
  readonly empty: string;
  readonly other: string;
  readonly merge: string;
  readonly closing: string;
}

async function writeRoot(path: string): Promise<void> {
  for (const name of oddNames) await writeFiles(path, { [name]: `${name}\n`, [`dir/${name}`]: `in ${name}\n` });
  await writeFiles(path, {
    script: '#!/bin/sh\n',
    'no newline': '1',
    long: '1\n2\n3\n4\n5\n6\n7\n8\n9\n',
    removed: '1\n2\n',
    moved: '1\n2\n3\n',
    nothing: '',
    escaped: '\u0001\nabc',
    'dir/deep/er/f': '1\n',
    'listfile:/etc/passwd': 'mine',
  });
  await writeFile(`${path}/binary`, binary);
  await chmod(`${path}/script`, 0o755);
  await symlink('a b', `${path}/link`);
  await writeFile(Buffer.concat([Buffer.from(`${path}/`), latin]), 'coffee\n');
}

/** Makes root - change - empty, a second head on the root, the merge of both heads, and the closing of its branch. */
export async function makeOddHistory(path: string): Promise<OddHistory> {
  await writeRoot(path);
  const root = await commitAll(path, '  # HG changeset patch\n# Parent  x\ndiff -r a -r b c\n\n@@ -1,9 +1,9 @@');
  await writeFiles(path, { long: '1\n2\n3\n4\nfive\n6\n7\n8\n9\n10\n', 'no newline': '1\n', added: '1\n2\n3' });
  await writeFile(`${path}/binary`, Buffer.concat([binary, binary]));
  await hg(path, 'remove', 'removed');
  await hg(path, 'rename', 'moved', 'dir/moved');
  await chmod(`${path}/script`, 0o644);
  const change = await commitAll(path, 'change é');
  await hg(path, 'branch', '-q', 'side é');
  const empty = await commitAll(path, 'empty');
  await hg(path, 'update', '-q', root);
  await writeFiles(path, { other: '1\n' });
  const other = await commitAll(path, 'other');
  await hg(path, 'update', '-q', empty);
  await hg(path, 'merge', '-q', other);
  const merge = await commitAll(path, 'merge');
  const closing = await commitAll(path, 'close', '--close-branch');
  return { root, change, empty, other, merge, closing };
}
