-- Written from packages/db/src/rights/role-statements.ts: UPDATE_DOCS=1 npx vitest run --project unit tests/docs

-- Creates the roles of an instance, and makes the database in which it runs the owner’s:
--   psql -d trunkline -f roles.sql         as a superuser; again does no harm
-- Then set the passwords, which psql sends as digests: \password trunkline_owner, and so on.
-- A role that owned the tables becomes a member of the new owner, so that what runs goes on:
--   revoke trunkline_owner from <that role>;   when nothing uses it any more

do $$ begin
  if not exists (select from pg_roles where rolname = 'trunkline_owner') then create role "trunkline_owner"; end if;
end $$;
alter role "trunkline_owner" login nosuperuser nocreatedb nocreaterole noreplication nobypassrls;
do $$ begin
  if not exists (select from pg_roles where rolname = 'trunkline_gateway') then create role "trunkline_gateway"; end if;
end $$;
alter role "trunkline_gateway" login nosuperuser nocreatedb nocreaterole noreplication nobypassrls;
do $$ begin
  if not exists (select from pg_roles where rolname = 'trunkline_worker') then create role "trunkline_worker"; end if;
end $$;
alter role "trunkline_worker" login nosuperuser nocreatedb nocreaterole noreplication nobypassrls;

do $$
declare
  former name;
  found regclass;
  routine regprocedure;
begin
  for former in
    select distinct r.rolname from pg_class c join pg_roles r on r.oid = c.relowner
    where c.relnamespace in (select oid from pg_namespace where nspname in ('public', 'drizzle'))
      and c.relkind = 'r' and not r.rolsuper and r.rolname <> 'trunkline_owner'
  loop
    execute format('grant "trunkline_owner" to %I', former);
  end loop;
  for found in
    select c.oid::regclass from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname in ('public', 'drizzle') and c.relkind = 'r' and c.relowner <> 'trunkline_owner'::regrole
    order by c.oid
  loop
    execute format('alter table %s owner to "trunkline_owner"', found);
    commit;
  end loop;
  for routine in
    select p.oid::regprocedure from pg_proc p
    where p.pronamespace = 'public'::regnamespace and p.proowner <> 'trunkline_owner'::regrole
      and p.proname = any(array['record_client_fetches'])
    order by p.oid
  loop
    execute format('alter function %s owner to "trunkline_owner"', routine);
    commit;
  end loop;
  if exists (select from pg_namespace where nspname = 'drizzle') then
    alter schema drizzle owner to "trunkline_owner";
  end if;
end $$;
alter database :"DBNAME" owner to "trunkline_owner";
revoke all on database :"DBNAME" from public;
grant connect on database :"DBNAME" to "trunkline_gateway", "trunkline_worker";
revoke create on schema public from public;
grant usage, create on schema public to "trunkline_owner";
do $$
declare
  routine record;
begin
  for routine in
    select p.oid::regprocedure as name, p.proname ~ '^pg_(try_)?advisory_' as locks from pg_proc p
    where p.pronamespace = 'pg_catalog'::regnamespace and p.proname ~ '^(lo_(?!import|export)|loread$|lowrite$|pg_export_snapshot$|pg_logical_emit_message$)|^pg_(try_)?advisory_'
    order by p.oid
  loop
    execute format('revoke execute on function %s from public', routine.name);
    execute format('grant execute on function %s to "trunkline_owner"', routine.name);
    if routine.locks then execute format('grant execute on function %s to "trunkline_worker"', routine.name); end if;
  end loop;
exception when insufficient_privilege then
  raise warning 'only a superuser can revoke what everybody may call: see docs/security.md';
end $$;
