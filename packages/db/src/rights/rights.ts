import { getTableColumns, getTableName } from 'drizzle-orm';
import { toSnakeCase } from 'drizzle-orm/casing';
import type { PgTable } from 'drizzle-orm/pg-core';
import * as schema from '../schema/index.ts';

type Schema = typeof schema;
const tables: Schema = schema;
type TableName = { [Name in keyof Schema]: Schema[Name] extends PgTable ? Name : never }[keyof Schema];
type ColumnOf<Name extends TableName> = keyof Schema[Name]['_']['columns'] & string;

/** What a role may do with a table: in all columns, or in those that are named. */
interface TableRights<Column extends string = string> {
  readonly select?: 'all' | readonly Column[];
  readonly insert?: 'all';
  readonly update?: 'all' | readonly Column[];
  readonly delete?: true;
}

/** What a role may do. Each table needs a decision: a new one does not compile without. */
export type Rights = { readonly [Name in TableName]: TableRights<ColumnOf<Name>> | 'none' };

/** One right of a role, with the names that Postgres knows; `columns` is null for all of them. */
export interface Privilege {
  readonly table: string;
  readonly kind: 'select' | 'insert' | 'update' | 'delete';
  readonly columns: readonly string[] | null;
}

const kinds = ['select', 'insert', 'update', 'delete'] as const;

function columnName(table: PgTable, key: string): string {
  const column = getTableColumns(table)[key];
  if (!column) throw new Error(`${getTableName(table)} has no column ${key}`);
  return column.keyAsName ? toSnakeCase(column.name) : column.name;
}

/** Returns the names of all tables. */
export function tableNames(rights: Rights): readonly string[] {
  return (Object.keys(rights) as TableName[]).map((name) => getTableName(tables[name]));
}

/** Lists the rights of a role, table by table. */
export function privilegesOf(rights: Rights): readonly Privilege[] {
  return (Object.keys(rights) as TableName[]).flatMap((name) => {
    const table: PgTable = tables[name];
    const granted: TableRights | 'none' = rights[name];
    if (granted === 'none') return [];
    return kinds.flatMap((kind): Privilege[] => {
      const columns = granted[kind];
      if (columns === undefined) return [];
      const named = typeof columns === 'object' ? columns.map((key) => columnName(table, key)) : null;
      return [{ table: getTableName(table), kind, columns: named }];
    });
  });
}

/** Functions of the schema that one tier calls; Postgres would let both. */
export const tierFunctions = {
  gateway: [],
  worker: ['record_client_fetches'],
} as const satisfies Record<'gateway' | 'worker', readonly string[]>;
