import type { DiffFile } from './diff-file.ts';
import { diffPath, headerPaths, prefixedDiffPath } from './diff-paths.ts';

/** Returns the file that a line `diff --git` begins. */
export function startFile(line: string): DiffFile {
  const [oldPath, newPath] = headerPaths(line.slice('diff --git '.length));
  return {
    oldPath,
    newPath,
    oldMode: null,
    newMode: null,
    change: 'changed',
    isBinary: false,
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
  ['rename to ', (file, path) => (file.newPath = diffPath(path))],
  [
    'copy from ',
    (file, path) => {
      file.oldPath = diffPath(path);
      file.change = 'copied';
    },
  ],
  ['copy to ', (file, path) => (file.newPath = diffPath(path))],
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

/** Sets a file's change, after all of the file's lines are read. */
export function settleChange(file: DiffFile): void {
  if (file.change !== 'changed') return;
  if (file.oldPath === null) file.change = 'added';
  else if (file.newPath === null) file.change = 'removed';
  else if (file.oldMode !== file.newMode && file.hunks.length === 0 && !file.isBinary) file.change = 'mode';
}
