import { chmod, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** What a history has beside the ordinary changes. */
export interface FurtherChanges {
  /** Names that git writes in quotes into a diff. */
  readonly names: readonly string[];
  readonly directoryToFile: boolean;
}

export const allChanges: FurtherChanges = {
  names: ['qu"ote', '"q" x', 'back\\slash', 't\tab'],
  directoryToFile: true,
};
/** Mercurial reads no quotes in a diff, and makes the file before it removes the directory, as git's diffs have them. */
export const changesForMercurial: FurtherChanges = { names: [], directoryToFile: false };
const plainNames = ['sp ace', "ap'os", 'é ü', ' lead', '$x', 'd/d d/f'];
/** A name in Latin-1. */
const latin = Buffer.from('caf\xe9', 'latin1');

const lines = Array.from({ length: 20 }, (_, line) => `${line}\n`).join('');
const utf16 = (text: string) => Buffer.from(`\ufeff${text}\n`, 'utf16le');

async function write(directory: string, files: Readonly<Record<string, string | Uint8Array>>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    const path = join(directory, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
  }
}

const named = (names: readonly string[], content: string) => Object.fromEntries(names.map((name) => [name, content]));
const inDirectory = (directory: string, name: Buffer) => Buffer.concat([Buffer.from(`${directory}/`), name]);

/** Writes files into an empty work tree, one or more for each kind of change that `changeFiles` makes. */
export async function writeFilesBefore(directory: string, { names }: FurtherChanges): Promise<void> {
  await write(directory, {
    ...named([...plainNames, ...names], '1\n'),
    binary: 'a\0b',
    'binary removed': 'a\0z',
    'binary to text': 'x\0y\n',
    'text to binary': 't\n',
    'utf16.txt': utf16('one'),
    crlf: 'a\r\nb\r\n',
    'no newline': 'a\nb',
    renamed: lines,
    'renamed and changed': `${lines}${lines}`,
    copied: `copied ${lines}`,
    runs: 'r\n',
    'runs no more': 's\n',
    'empty removed': '',
    'empty filled': '',
    'to link': 'f\n',
    'to directory': 'x\n',
    'directory to file/z': 'y\n',
  });
  await writeFile(inDirectory(directory, latin), '1\n');
  await chmod(join(directory, 'runs no more'), 0o755);
  await symlink('target', join(directory, 'link'));
  await symlink('target', join(directory, 'link to file'));
}

/** Makes a change of each kind; copies the file `copied` as a plain copy does. */
export async function changeFiles(directory: string, { names, directoryToFile }: FurtherChanges): Promise<void> {
  const at = (name: string) => join(directory, name);
  for (const gone of ['binary removed', 'empty removed', 'to link', 'to directory', 'link', 'link to file'])
    await rm(at(gone));
  if (directoryToFile) await rm(at('directory to file'), { recursive: true });
  await rename(at('renamed'), at('renamed to'));
  await rm(at('renamed and changed'));
  await write(directory, {
    ...named([...plainNames, ...names], '2\n'),
    binary: 'a\0c',
    'binary new': 'n\0',
    'binary to text': 'x y\n',
    'text to binary': 't\0',
    'utf16.txt': utf16('two'),
    crlf: 'a\r\nc\r\n',
    'no newline': 'a\nc',
    'd/renamed': `${lines}x\n${lines}`,
    'copied to': `copied ${lines}`,
    'empty new': '',
    'empty filled': '5\n',
    'link to file': 'target',
    'to directory/i': 'q\n',
  });
  if (directoryToFile) await write(directory, { 'directory to file': 'new\n' });
  await writeFile(inDirectory(directory, latin), '2\n');
  await chmod(at('runs'), 0o755);
  await chmod(at('runs no more'), 0o644);
  await symlink('target 2', at('link'));
  await symlink('f', at('to link'));
}
