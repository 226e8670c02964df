import type postgres from 'postgres';
import { privilegesOf, tableNames, type Rights } from './table-rights.ts';

/**
 * Returns the first right of a role that these do not have, as `select on api_keys (sealed)`; null when there is none.
 * Tables of a newer release are passed over.
 */
export async function findExcessRight(client: postgres.Sql, rights: Rights, role: string): Promise<string | null> {
  const wanted = privilegesOf(rights).flatMap(({ table, kind, columns }) =>
    (columns ?? [null]).map((column) => ({ relation: table, kind, column })),
  );
  const [row] = await client<{ excess: string }[]>`
    with wanted as (
      select * from jsonb_to_recordset(${JSON.stringify(wanted)}::text::jsonb) w(relation text, kind text, "column" text)
    ), tables as (
      select c.oid, c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = 'public' and c.relname = any(${[...tableNames(rights)]}::text[])
    ), excess as (
      select t.relname, k.kind, a.attname as "column"
      from tables t cross join unnest(array['select', 'insert', 'update', 'references']) k(kind)
      join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
      where has_column_privilege(${role}::name, t.oid, a.attnum, k.kind) and not exists (
        select from wanted w where w.relation = t.relname and w.kind = k.kind
          and (w."column" is null or w."column" = a.attname))
      union all
      select t.relname, k.kind, null from tables t cross join unnest(array['delete', 'truncate', 'trigger']) k(kind)
      where has_table_privilege(${role}::name, t.oid, k.kind)
        and not exists (select from wanted w where w.relation = t.relname and w.kind = k.kind)
    )
    select kind || ' on ' || relname || coalesce(' (' || "column" || ')', '') as excess
    from excess order by relname, kind limit 1`;
  return row?.excess ?? null;
}
