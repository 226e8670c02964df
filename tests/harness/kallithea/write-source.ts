import { writeFile } from 'node:fs/promises';
import postgres from 'postgres';
import initSqlJs from 'sql.js';
import { createStatements, tablesOf, type Dialect, type Generation } from './source-schema.ts';

export type Value = string | number | boolean | null;
export type Row = Readonly<Record<string, Value>>;
/** Rows by table; columns that the generation does not have are left out. */
export type Tables = Readonly<Record<string, readonly Row[]>>;

function literal(value: Value, dialect: Dialect): string {
  if (value === null) return 'NULL';
  if (typeof value === 'boolean') return dialect === 'sqlite' ? String(Number(value)) : String(value);
  return typeof value === 'number' ? String(value) : `'${value.replaceAll("'", "''")}'`;
}

function insertStatements(generation: Generation, tables: Tables, dialect: Dialect): string[] {
  const known = tablesOf(generation);
  return Object.entries(tables).flatMap(([table, rows]) => {
    const columns = known.get(table);
    if (!columns) return [];
    return rows.map((row) => {
      const names = Object.keys(row).filter((name) => name in columns);
      const values = names.map((name) => literal(row[name] ?? null, dialect));
      return `INSERT INTO "${table}" (${names.map((name) => `"${name}"`).join(', ')}) VALUES (${values.join(', ')})`;
    });
  });
}

function statements(generation: Generation, tables: Tables, dialect: Dialect): string {
  const all = [...createStatements(generation, dialect), ...insertStatements(generation, tables, dialect)];
  return all.join(';\n');
}

/** Writes a database of another program as an SQLite file. */
export async function writeSqlite(path: string, generation: Generation, tables: Tables): Promise<void> {
  const { Database } = await initSqlJs();
  const database = new Database();
  database.run(`BEGIN;\n${statements(generation, tables, 'sqlite')};\nCOMMIT`);
  await writeFile(path, database.export());
  database.close();
}

/** Writes a database of another program into an empty database of Postgres. */
export async function writePostgres(url: string, generation: Generation, tables: Tables): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    await sql.unsafe(statements(generation, tables, 'postgres'));
  } finally {
    await sql.end();
  }
}
