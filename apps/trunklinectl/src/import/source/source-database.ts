/** A row of the source, each value as text, whatever the database's types are; booleans are `true` or `false`, or 1 or 0. */
export type SourceRow = Readonly<Record<string, string | null>>;

/** The database of the other program, which is only read. */
export interface SourceDatabase {
  /** Returns the names of a table's columns; an empty list for a table that is not there. */
  columns(table: string): Promise<readonly string[]>;
  /** Reads these columns of all rows of a table. */
  rows(table: string, columns: readonly string[]): Promise<SourceRow[]>;
  count(table: string): Promise<number>;
}

/** Limit of the rows of one table. */
export const rowsMax = 2_000_000;
