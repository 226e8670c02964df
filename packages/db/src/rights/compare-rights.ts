import type postgres from 'postgres';
import { privilegesOf, type Rights, tableNames, tierFunctions } from './rights.ts';

/**
 * Returns the first right that a role lacks, as `update on users (last_login)`; null when it has all. The role is that of
 * the connection unless one is named. Tables, columns and functions that a newer release has removed are passed over.
 */
export async function findMissingRight(
  client: postgres.Sql,
  rights: Rights,
  functions: readonly string[],
  role: string | null = null,
): Promise<string | null> {
  const wanted = privilegesOf(rights).flatMap(({ table, kind, columns }) =>
    (columns ?? [null]).map((column) => ({ relation: table, kind, column })),
  );
  const [row] = await client<{ missing: string }[]>`
    select wanted.kind || ' on ' || wanted.relation || coalesce(' (' || wanted."column" || ')', '') as missing
    from jsonb_to_recordset(${JSON.stringify(wanted)}::text::jsonb) wanted(relation text, kind text, "column" text)
    cross join (select coalesce(${role}::text, current_user)::name as name) role
    join pg_class c on c.relname = wanted.relation
    join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'public'
    left join pg_attribute a on a.attrelid = c.oid and a.attname = wanted."column" and not a.attisdropped
    where not has_schema_privilege(role.name, n.oid, 'usage') or case
      when wanted."column" is null then not has_table_privilege(role.name, c.oid, wanted.kind)
      when a.attnum is null then false
      else not has_column_privilege(role.name, c.oid, a.attnum, wanted.kind) end
    union all
    select 'execute on ' || p.proname from pg_proc p
    where p.pronamespace = 'public'::regnamespace and p.proname in
        (select jsonb_array_elements_text(${JSON.stringify(functions)}::text::jsonb))
      and not has_function_privilege(coalesce(${role}::text, current_user)::name, p.oid, 'execute')
    limit 1`;
  return row?.missing ?? null;
}

/**
 * Returns the first right of a role that these do not have, as `select on api_keys (sealed)`; null when there is none.
 * Tables and functions of a newer release are passed over.
 */
export async function findExcessRight(
  client: postgres.Sql,
  rights: Rights,
  own: readonly string[],
  role: string,
): Promise<string | null> {
  const others = Object.values(tierFunctions)
    .flat()
    .filter((name) => !own.includes(name));
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
      union all
      select p.proname, 'execute', null from pg_proc p
      where p.pronamespace = 'public'::regnamespace and p.proname = any(${others}::text[])
        and has_function_privilege(${role}::name, p.oid, 'execute')
    )
    select kind || ' on ' || relname || coalesce(' (' || "column" || ')', '') as excess
    from excess order by relname, kind limit 1`;
  return row?.excess ?? null;
}
