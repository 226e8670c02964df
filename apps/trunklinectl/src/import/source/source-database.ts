/** A row of the source, each value as text, whatever the database's types are; booleans are `true` or `false`, or 1 or 0. */
export type SourceRow = Readonly<Record<string, string | null>>;

export interface SourceSize {
  readonly rows: number;
  /** Bytes of the values of the columns, as text. */
  readonly bytes: number;
}

/** The database of the other program, which is only read. What is no table, such as a view, is refused. */
export interface SourceDatabase {
  /** Returns the names of a table's columns; an empty list for a table that is not there. */
  columns(table: string): Promise<readonly string[]>;
  /** Reads these columns of all rows of a table. */
  rows(table: string, columns: readonly string[]): Promise<SourceRow[]>;
  size(table: string, columns: readonly string[]): Promise<SourceSize>;
}
