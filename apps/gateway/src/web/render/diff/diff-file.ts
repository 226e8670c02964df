export interface Diff {
  readonly files: readonly DiffFile[];
  /** Whether a limit was reached, so that more would have followed. */
  readonly truncated: boolean;
}

export type DiffChange = 'added' | 'removed' | 'changed' | 'renamed' | 'copied' | 'mode';

export interface DiffFile {
  /** Null for a file that was added. */
  oldPath: string | null;
  /** Null for a file that was removed. */
  newPath: string | null;
  /** Octal, as `100644`; null where the diff says none. */
  oldMode: string | null;
  newMode: string | null;
  change: DiffChange;
  isBinary: boolean;
  /** Whether lines are left out; they are counted nevertheless, as far as the diff was read. */
  isCut: boolean;
  linesAdded: number;
  linesRemoved: number;
  readonly hunks: DiffHunk[];
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
  /** Whether the line goes on. */
  readonly isCut: boolean;
}
