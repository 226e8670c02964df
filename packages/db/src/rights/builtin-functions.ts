import type postgres from 'postgres';
import type { Tier } from './grants.ts';

/**
 * Functions of Postgres that everybody may call in a new database, as patterns of their names: those of large objects
 * and of the log of changes, which fill the disk beside all tables, and locks that anybody can hold for any key.
 */
const storing = '^(lo_(?!import|export)|loread$|lowrite$|pg_export_snapshot$|pg_logical_emit_message$)';
const locking = '^pg_(try_)?advisory_';

const unneeded: Readonly<Record<Tier, string>> = { gateway: `${storing}|${locking}`, worker: storing };

/** Returns the statement by which a superuser leaves these functions to who needs them: names are as SQL has them. */
export function builtinStatement(owner: string, worker: string): string {
  return `do $$
declare
  routine record;
begin
  for routine in
    select p.oid::regprocedure as name, p.proname ~ '${locking}' as locks from pg_proc p
    where p.pronamespace = 'pg_catalog'::regnamespace and p.proname ~ '${storing}|${locking}'
    order by p.oid
  loop
    execute format('revoke execute on function %s from public', routine.name);
    execute format('grant execute on function %s to ${owner}', routine.name);
    if routine.locks then execute format('grant execute on function %s to ${worker}', routine.name); end if;
  end loop;
exception when insufficient_privilege then
  raise warning 'only a superuser can revoke what everybody may call: see docs/security.md';
end $$`;
}

/** Returns the first function of these that a role may call without need; null when there is none. */
export async function findUnneededBuiltin(client: postgres.Sql, tier: Tier, role: string): Promise<string | null> {
  const [row] = await client<{ name: string }[]>`
    select p.proname as name from pg_proc p
    where p.pronamespace = 'pg_catalog'::regnamespace and p.proname ~ ${unneeded[tier]}
      and has_function_privilege(${role}::name, p.oid, 'execute')
    order by 1 limit 1`;
  return row?.name ?? null;
}
