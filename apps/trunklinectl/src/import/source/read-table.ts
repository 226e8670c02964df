import { RefusedError } from '../../errors.ts';

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

/** One row, read by type. A column that this generation of the schema does not have reads as null. */
export interface Fields {
  id(column: string): number | null;
  text(column: string): string | null;
  flag(column: string, absent: boolean): boolean;
}

function toFields(row: SourceRow): Fields {
  const text = (column: string) => row[column] ?? null;
  return {
    text,
    id(column) {
      const value = text(column);
      return value !== null && /^\d{1,9}$/.test(value) ? Number(value) : null;
    },
    flag(column, absent) {
      const value = text(column);
      return value === null ? absent : ['true', 't', '1'].includes(value);
    },
  };
}

/** Reads those of the columns that a table has; an optional table that is not there has no rows. */
export async function readTable(
  source: SourceDatabase,
  table: string,
  columns: readonly string[],
  { optional = false } = {},
): Promise<Fields[]> {
  const there = await source.columns(table);
  if (there.length === 0 && optional) return [];
  if (there.length === 0)
    throw new RefusedError(`the database has no table \`${table}\`: it is no database of this kind`);
  const rows = await source.rows(
    table,
    columns.filter((column) => there.includes(column)),
  );
  return rows.map(toFields);
}

/** Groups rows by the id in a column; rows without one are left out. */
export function groupById<T>(rows: readonly Fields[], column: string, toValue: (row: Fields) => T | null) {
  const groups = new Map<number, T[]>();
  for (const row of rows) {
    const [id, value] = [row.id(column), toValue(row)];
    if (id === null || value === null) continue;
    const values = groups.get(id);
    if (values) values.push(value);
    else groups.set(id, [value]);
  }
  return groups;
}
