export interface Diff {
  readonly files: readonly DiffFile[];
  /** Whether a limit of the whole diff was reached before its end; a file beyond its own limit has only `isCut`. */
  readonly truncated: boolean;
}

export type DiffChange = 'added' | 'removed' | 'changed' | 'renamed' | 'copied' | 'mode';

export interface DiffFile {
  /** The path before the change; null for a file that was added. */
  oldPath: string | null;
  /** The path after the change; null for a file that was removed. */
  newPath: string | null;
  /** The octal mode, such as `100644`; null when the diff holds none. */
  oldMode: string | null;
  newMode: string | null;
  change: DiffChange;
  /** How much of a renamed or copied file is as before, in per cent; null when the diff does not say it. */
  similarity: number | null;
  isBinary: boolean;
  /** The encoding from which the lines after the change were decoded, or else those before; null for UTF-8. */
  encoding: string | null;
  /** Whether lines of the file are left out; the counts include them nevertheless, as far as the diff was read. */
  isCut: boolean;
  linesAdded: number;
  linesRemoved: number;
  hunks: DiffHunk[];
}

export interface DiffHunk {
  /** The whole header: `@@ -1,2 +1,3 @@ function`. */
  readonly header: string;
  readonly lines: DiffLine[];
}

export interface DiffLine {
  readonly kind: 'context' | 'added' | 'removed' | 'noNewline';
  readonly oldLine: number | null;
  readonly newLine: number | null;
  readonly text: string;
  /** Whether the end of the line is left out. */
  readonly isCut: boolean;
}

/** Returns the path under which a page shows a file: the new one, and the old one of a file that was removed. */
export function pathOf({ newPath, oldPath }: Pick<DiffFile, 'newPath' | 'oldPath'>): string {
  return newPath ?? oldPath ?? '';
}

const kinds: ReadonlyMap<string | null, string> = new Map([
  ['120000', 'symbolic link'],
  ['160000', 'submodule'],
]);

/** Returns what a path with this mode is; without a mode, a file. */
export function kindOfMode(mode: string | null): string {
  return kinds.get(mode) ?? 'file';
}
