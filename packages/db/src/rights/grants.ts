import type postgres from 'postgres';
import { migrationsTable, release } from '../applied-migrations.ts';
import { privilegesOf, type Rights, tableNames, tierFunctions } from './rights.ts';
import { gatewayRights } from './gateway-rights.ts';
import { workerRights } from './worker-rights.ts';

/** Writes a name as SQL does. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Writes a text as a literal of SQL. */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

function tableStatements(rights: Rights, table: string, role: string): readonly string[] {
  const kinds = privilegesOf(rights)
    .filter((privilege) => privilege.table === table)
    .map(({ kind, columns }) => (columns === null ? kind : `${kind} (${columns.map(quoteName).join(', ')})`));
  const on = `on public.${quoteName(table)}`;
  // Ends the grants of earlier releases, also those on single columns.
  const revoke = `revoke all ${on} from ${role}`;
  return kinds.length === 0 ? [revoke] : [revoke, `grant ${kinds.join(', ')} ${on} to ${role}`];
}

function functionStatements(own: readonly string[], role: string): readonly string[] {
  return Object.values(tierFunctions)
    .flat()
    .map((name) => {
      const on = `execute on function public.${quoteName(name)}`;
      return own.includes(name) ? `grant ${on} to ${role}` : `revoke ${on} from ${role}`;
    });
}

/**
 * Returns the statements that give a role these rights and no others on the tables and functions of the schema, for
 * their owner.
 */
export function grantStatements(name: string, rights: Rights, functions: readonly string[]): readonly string[] {
  const role = quoteName(name);
  return [
    `grant usage on schema public, drizzle to ${role}`,
    `grant select on drizzle.${migrationsTable} to ${role}`,
    ...tableNames(rights).flatMap((table) => tableStatements(rights, table, role)),
    ...functionStatements(functions, role),
  ];
}

export const tierRights = { gateway: gatewayRights, worker: workerRights } as const;

export type Tier = keyof typeof tierRights;

/** The database role of each tier. */
export type TierRoles = Readonly<Record<Tier, string>>;

/** Returns the number of the newest release that has given its rights; 0 for none. */
async function readGiven(client: postgres.Sql): Promise<number> {
  const [row] = await client<{ note: string | null }[]>`
    select obj_description(oid, 'pg_namespace') as note from pg_namespace where nspname = 'drizzle'`;
  return Number(/^rights of release (\d+)$/.exec(row?.note ?? '')?.[1] ?? 0);
}

/**
 * Gives the roles of the tiers their rights; a role that does not exist, or that owns the schema, is passed over. Those of
 * the next release stay as they are: its processes run beside those of this one.
 */
export async function applyGrants(client: postgres.Sql, roles: TierRoles): Promise<void> {
  if ((await readGiven(client)) > release) return;
  for (const tier of Object.keys(tierRights) as Tier[]) {
    const role = roles[tier];
    const [found] = await client`select from pg_roles where rolname = ${role} and rolname <> current_user`;
    if (!found) continue;
    // In one transaction: running processes of the role never lack a right.
    await client.begin((tx) => tx.unsafe(grantStatements(role, tierRights[tier], tierFunctions[tier]).join(';\n')));
  }
  await client.unsafe(`comment on schema drizzle is 'rights of release ${release}'`);
}
