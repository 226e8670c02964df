import { builtinStatement } from './builtin-functions.ts';
import { tierFunctions } from './rights.ts';
import { quoteName } from './grants.ts';

/** The roles of an instance in Postgres, by what they are for. */
export const roleNames = {
  owner: 'trunkline_owner',
  gateway: 'trunkline_gateway',
  worker: 'trunkline_worker',
} as const;

export type RoleName = keyof typeof roleNames;

/** The passwords of the roles, as literals of SQL. */
type Passwords = Readonly<Record<RoleName, string>>;

const least = 'login nosuperuser nocreatedb nocreaterole noreplication nobypassrls';

/** Returns the statements by which a superuser creates the roles, and gives them these passwords. */
export function roleStatements(passwords?: Passwords): readonly string[] {
  return (Object.keys(roleNames) as RoleName[]).flatMap((name) => {
    const role = roleNames[name];
    const login = passwords === undefined ? least : `${least} password ${passwords[name]}`;
    return [
      `do $$ begin
  if not exists (select from pg_roles where rolname = '${role}') then create role ${quoteName(role)}; end if;
end $$`,
      `alter role ${quoteName(role)} ${login}`,
    ];
  });
}

const routines = Object.values(tierFunctions)
  .flat()
  .map((name) => `'${name}'`)
  .join(', ');

/** Gives tables and functions to the owner, one by one: each is locked for a moment. A former owner keeps its rights as a member. */
const giveTables = `do $$
declare
  former name;
  found regclass;
  routine regprocedure;
begin
  for former in
    select distinct r.rolname from pg_class c join pg_roles r on r.oid = c.relowner
    where c.relnamespace in (select oid from pg_namespace where nspname in ('public', 'drizzle'))
      and c.relkind = 'r' and not r.rolsuper and r.rolname <> '${roleNames.owner}'
  loop
    execute format('grant ${quoteName(roleNames.owner)} to %I', former);
  end loop;
  for found in
    select c.oid::regclass from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname in ('public', 'drizzle') and c.relkind = 'r' and c.relowner <> '${roleNames.owner}'::regrole
    order by c.oid
  loop
    execute format('alter table %s owner to ${quoteName(roleNames.owner)}', found);
    commit;
  end loop;
  for routine in
    select p.oid::regprocedure from pg_proc p
    where p.pronamespace = 'public'::regnamespace and p.proowner <> '${roleNames.owner}'::regrole
      and p.proname = any(array[${routines}])
    order by p.oid
  loop
    execute format('alter function %s owner to ${quoteName(roleNames.owner)}', routine);
    commit;
  end loop;
  if exists (select from pg_namespace where nspname = 'drizzle') then
    alter schema drizzle owner to ${quoteName(roleNames.owner)};
  end if;
end $$`;

/** Returns the statements by which a superuser says who may connect to a database: a copy of a database has its own. */
export function connectStatements(database: string): readonly string[] {
  const [owner, gateway, worker] = [roleNames.owner, roleNames.gateway, roleNames.worker].map(quoteName);
  return [
    `alter database ${database} owner to ${owner}`,
    `revoke all on database ${database} from public`,
    `grant connect on database ${database} to ${gateway}, ${worker}`,
  ];
}

/**
 * Returns the statements by which a superuser, in the database, makes it the owner's and closes it to all others. Each
 * has to be a transaction of its own. `database` is the database's name as SQL has it.
 */
export function databaseStatements(database: string): readonly string[] {
  return [
    giveTables,
    ...connectStatements(database),
    `revoke create on schema public from public`,
    `grant usage, create on schema public to ${quoteName(roleNames.owner)}`,
    builtinStatement(quoteName(roleNames.owner), quoteName(roleNames.worker)),
  ];
}
