import { migrationsTable } from '../applied-migrations.ts';
import { tierFunctions } from './function-rights.ts';
import { privilegesOf, tableNames, type Rights } from './table-rights.ts';

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
  // What an earlier release granted ends here, also on single columns.
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
