import { nameText } from '@trunkline/runtime/text';
import type { DiffFile } from './diff-file.ts';

const escapes = new Map([
  ['a', '\u0007'],
  ['b', '\b'],
  ['t', '\t'],
  ['n', '\n'],
  ['v', '\v'],
  ['f', '\f'],
  ['r', '\r'],
]);

/** Returns a quoted path without its escapes; octal ones are bytes. */
function unquote(quoted: string): string {
  return quoted.replace(/\\([0-7]{3}|.)/g, (_, escape: string) =>
    escape.length === 3 ? String.fromCharCode(Number.parseInt(escape, 8) & 0xff) : (escapes.get(escape) ?? escape),
  );
}

const quotedPattern = /^"((?:[^"\\]|\\.)*)"/;

/** Returns the path of a line such as `rename from`, in which a character is a byte: git quotes some paths, Mercurial none. */
function diffPath(text: string): string {
  const quoted = quotedPattern.exec(text);
  return nameText(Buffer.from(quoted?.[0] === text ? unquote(quoted[1] ?? '') : text, 'latin1'));
}

/**
 * Returns the path of a line `---` or `+++` without its prefix `a/` or `b/`, and without the tab after a name with
 * spaces; null for `/dev/null`.
 */
function prefixedDiffPath(text: string): string | null {
  const path = diffPath(text.endsWith('\t') ? text.slice(0, -1) : text);
  return path === '/dev/null' ? null : path.slice(2);
}

/**
 * Returns both paths of a line `diff --git`. Two unquoted paths can be split only if they are equal; otherwise later
 * header lines give each path.
 */
function headerPaths(text: string): readonly [string, string] {
  const quoted = quotedPattern.exec(text)?.[0];
  const [old, new_] = quoted ? [quoted, text.slice(quoted.length + 1)] : unquotedFirst(text);
  return [diffPath(old).slice(2), diffPath(new_).slice(2)];
}

function unquotedFirst(text: string): readonly [string, string] {
  const middle = (text.length - 1) / 2;
  const isTwice = text.slice(2, middle) === text.slice(middle + 3);
  const space = isTwice && text[middle] === ' ' ? middle : Math.max(0, text.search(/ "?b\//));
  return [text.slice(0, space), text.slice(space + 1)];
}

/** Returns the file that a line `diff --git` begins. */
export function startFile(line: string): DiffFile {
  const [oldPath, newPath] = headerPaths(line.slice('diff --git '.length));
  return {
    oldPath,
    newPath,
    oldMode: null,
    newMode: null,
    change: 'changed',
    similarity: null,
    isBinary: false,
    encoding: null,
    isCut: false,
    linesAdded: 0,
    linesRemoved: 0,
    hunks: [],
  };
}

type Effect = (file: DiffFile, value: string) => void;

const headerLines: readonly (readonly [string, Effect])[] = [
  ['old mode ', (file, mode) => (file.oldMode = mode)],
  ['new mode ', (file, mode) => (file.newMode = mode)],
  [
    'new file mode ',
    (file, mode) => {
      file.newMode = mode;
      file.oldPath = null;
    },
  ],
  [
    'deleted file mode ',
    (file, mode) => {
      file.oldMode = mode;
      file.newPath = null;
    },
  ],
  [
    'rename from ',
    (file, path) => {
      file.oldPath = diffPath(path);
      file.change = 'renamed';
    },
  ],
  ['similarity index ', (file, share) => (file.similarity = Number.parseInt(share, 10))],
  ['rename to ', (file, path) => (file.newPath = diffPath(path))],
  [
    'copy from ',
    (file, path) => {
      file.oldPath = diffPath(path);
      file.change = 'copied';
    },
  ],
  ['copy to ', (file, path) => (file.newPath = diffPath(path))],
  [
    'index ',
    (file, ids) => {
      // The line ends with the mode when that has not changed.
      const mode = / (\d{6})$/.exec(ids)?.[1] ?? null;
      if (file.oldPath !== null) file.oldMode ??= mode;
      if (file.newPath !== null) file.newMode ??= mode;
    },
  ],
  ['--- ', (file, path) => (file.oldPath = prefixedDiffPath(path))],
  ['+++ ', (file, path) => (file.newPath = prefixedDiffPath(path))],
  ['GIT binary patch', (file) => (file.isBinary = true)],
  ['Binary file', (file) => (file.isBinary = true)],
];

/** Reads a line between `diff --git` and the first hunk into the file. */
export function readHeaderLine(file: DiffFile, line: string): void {
  // Lines of a binary patch are not headers, whatever they look like.
  if (file.isBinary) return;
  const found = headerLines.find(([start]) => line.startsWith(start));
  if (found) found[1](file, line.slice(found[0].length));
}

/** Returns a file that was removed, and what has replaced it, such as a symbolic link, as one change; null for others. */
function replaced(removed: DiffFile | undefined, added: DiffFile): DiffFile | null {
  if (removed?.newPath !== null || added.oldPath !== null || removed.oldPath !== added.newPath) return null;
  return {
    ...added,
    oldPath: removed.oldPath,
    oldMode: removed.oldMode,
    isBinary: removed.isBinary || added.isBinary,
    encoding: added.encoding ?? removed.encoding,
    isCut: removed.isCut || added.isCut,
    linesAdded: removed.linesAdded + added.linesAdded,
    linesRemoved: removed.linesRemoved + added.linesRemoved,
    hunks: [...removed.hunks, ...added.hunks],
  };
}

/** Returns the changes of files, after all of their lines are read. */
export function settleChanges(files: readonly DiffFile[]): DiffFile[] {
  const settled: DiffFile[] = [];
  for (const file of files) {
    const both = replaced(settled.at(-1), file);
    if (both) settled.pop();
    settled.push(both ?? file);
  }
  settled.forEach(settleChange);
  return settled;
}

function settleChange(file: DiffFile): void {
  if (file.change !== 'changed') return;
  if (file.oldPath === null) file.change = 'added';
  else if (file.newPath === null) file.change = 'removed';
  else if (file.oldMode !== file.newMode && file.hunks.length === 0 && !file.isBinary) file.change = 'mode';
}
