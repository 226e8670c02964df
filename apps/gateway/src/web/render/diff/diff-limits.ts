export interface DiffLimits {
  readonly files: number;
  /** The limit of lines of all files together. */
  readonly lines: number;
  readonly linesOfFile: number;
  readonly charactersOfLine: number;
  /** The limit of characters of the whole diff. */
  readonly characters: number;
}

/** The default limits of a diff. */
export const diffLimits: DiffLimits = {
  files: 300,
  lines: 20_000,
  linesOfFile: 3_000,
  charactersOfLine: 2_000,
  characters: 4 * 1_024 * 1_024,
};
