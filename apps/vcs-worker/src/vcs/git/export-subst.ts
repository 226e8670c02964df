import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nameText } from '@trunkline/runtime/text';
import { VcsError } from '../vcs-error.ts';
import type { GitContentTools } from './git-content-tools.ts';

/** Limit of what git puts into the files of one archive in exchange for `$Format:…$`. */
const expandedBytesMax = 64 * 1024 * 1024;
const attributeFilesMax = 1_000;
const attributeBytesMax = 1024 * 1024;
const formatFilesMax = 1_000;
const formatFileBytesMax = 4 * 1024 * 1024;
const listBytesMax = 1024 * 1024;
/** Git pads a placeholder to at most this width, and indents the lines of a message by as much. */
const widthMax = 16 * 1024;

const tooLarge = (what: string) => new VcsError('too-large', `export-subst: ${what}`);

/** Collects the ids of a commit's `.gitattributes` files from the lines of `ls-tree`. */
export function attributeFileCollector() {
  const ids = new Set<string>();
  return {
    ids: ids as ReadonlySet<string>,
    take(entry: string, name: string) {
      if (name !== '.gitattributes' && !name.endsWith('/.gitattributes')) return;
      ids.add(entry.slice(entry.indexOf(' ', 7) + 1, entry.indexOf('\t')));
      if (ids.size > attributeFilesMax) throw tooLarge(`more than ${attributeFilesMax} .gitattributes`);
    },
  };
}

async function readBounded({ reader }: GitContentTools, path: string, expression: string, bytesMax: number) {
  const found = await reader.check(path, expression);
  if (found && found.size > bytesMax) throw tooLarge(`a file of ${found.size} bytes`);
  return (found && (await reader.read(path, found.id))?.content) ?? Buffer.alloc(0);
}

/** Returns whether a commit's attributes, or those of the repository itself, mention export-subst at all. */
async function mentions(tools: GitContentTools, path: string, ids: ReadonlySet<string>): Promise<boolean> {
  const own = await readFile(join(path, 'info/attributes')).catch(() => Buffer.alloc(0));
  if (own.includes('export-subst')) return true;
  for (const id of ids) {
    if ((await readBounded(tools, path, id, attributeBytesMax)).includes('export-subst')) return true;
  }
  return false;
}

/** Returns the most bytes that git may put in exchange for the placeholders of one file. */
function expandedBytes(content: Buffer, commitBytes: number, refsBytes: number): number {
  let placeholders = 0;
  let wraps = false;
  for (let begin = content.indexOf('$Format:'); begin >= 0; begin = content.indexOf('$Format:', begin)) {
    const end = content.indexOf('$', begin + '$Format:'.length);
    if (end < 0) break;
    const format = content.toString('latin1', begin + '$Format:'.length, end);
    placeholders += format.split('%').length - 1;
    wraps ||= format.includes('%w(');
    begin = end + 1;
  }
  // A message in another encoding grows up to four times when it becomes UTF-8.
  const each = 4 * commitBytes + refsBytes + widthMax;
  return placeholders * (wraps ? each + commitBytes * widthMax : each);
}

/** Throws VcsError `too-large` when git would fill an archive of a commit with expanded placeholders. */
export async function requireBoundedExpansion(
  tools: GitContentTools,
  path: string,
  rawId: string,
  attributeIds: ReadonlySet<string>,
): Promise<void> {
  if (!(await mentions(tools, path, attributeIds))) return;
  // All files that hold a placeholder count, whether they have the attribute or not.
  const grep = ['grep', '-l', '-z', '-a', '--full-name', '-F', '-e', '$Format:', rawId];
  const { exitCode, stdout } = await tools.git.tryRun(path, grep, { stdoutBytesMax: listBytesMax });
  if (exitCode !== 0 && exitCode !== 1) throw tooLarge(`git grep ended with ${exitCode}`);
  const files = nameText(stdout).split('\0').filter(Boolean);
  if (files.length > formatFilesMax) throw tooLarge(`${files.length} files`);
  const refs = await tools.git.run(path, ['for-each-ref', `--points-at=${rawId}`, '--format=%(refname)'], {
    stdoutBytesMax: listBytesMax,
  });
  const commitBytes = (await tools.reader.check(path, rawId))?.size ?? 0;
  let bytes = 0;
  for (const file of files) {
    // One request to the reader is one line.
    if (/[\r\n]/.test(file)) throw tooLarge('a name with the end of a line');
    const content = await readBounded(tools, path, file, formatFileBytesMax);
    bytes += expandedBytes(content, commitBytes, refs.length);
    if (bytes > expandedBytesMax) throw tooLarge(`more than ${expandedBytesMax} bytes`);
  }
}
