import { isLevelName, levels } from '@trunkline/contracts';
import type { Grants } from './source.ts';
import { type Fields, groupById, readTable, type SourceDatabase } from './read-table.ts';

/** Names of permissions by id. */
export async function readPermissionNames(source: SourceDatabase): Promise<ReadonlyMap<number, string>> {
  const rows = await readTable(source, 'permissions', ['permission_id', 'permission_name']);
  return new Map(rows.map((row) => [row.id('permission_id') ?? 0, row.text('permission_name') ?? '']));
}

/** Reads the names of the permissions that the rows of a table give to each holder. */
export async function readPermissions(
  source: SourceDatabase,
  names: ReadonlyMap<number, string>,
  table: string,
  holder: string,
): Promise<ReadonlyMap<number, readonly string[]>> {
  const rows = await readTable(source, table, [holder, 'permission_id'], { optional: true });
  return groupById(rows, holder, (row) => names.get(row.id('permission_id') ?? 0) ?? null);
}

interface GrantTable {
  readonly table: string;
  /** Column of the user or user group. */
  readonly holder: string;
  /** Column of what the right is on. */
  readonly on: string;
}

type Levels = Map<number, Map<number, number[]>>;

async function readLevels(
  source: SourceDatabase,
  names: ReadonlyMap<number, string>,
  { table, holder, on }: GrantTable,
): Promise<Levels> {
  const rows = await readTable(source, table, [holder, on, 'permission_id'], { optional: true });
  const toGrant = (row: Fields) => {
    const level = names.get(row.id('permission_id') ?? 0)?.split('.')[1];
    const id = row.id(holder);
    return id !== null && isLevelName(level) ? { id, level: levels[level] } : null;
  };
  const byObject: Levels = new Map();
  for (const [id, grants] of groupById(rows, on, toGrant)) {
    const byHolder = new Map<number, number[]>();
    for (const grant of grants) byHolder.set(grant.id, [...(byHolder.get(grant.id) ?? []), grant.level]);
    byObject.set(id, byHolder);
  }
  return byObject;
}

/** Returns a function that gives the grants on the object with an id. */
export async function readGrants(
  source: SourceDatabase,
  names: ReadonlyMap<number, string>,
  tables: { readonly users: GrantTable; readonly userGroups: GrantTable },
): Promise<(id: number) => Grants> {
  const users = await readLevels(source, names, tables.users);
  const userGroups = await readLevels(source, names, tables.userGroups);
  return (id) => ({ users: users.get(id) ?? new Map(), userGroups: userGroups.get(id) ?? new Map() });
}
