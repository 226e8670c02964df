import { databaseStatements, roleNames } from '@trunkline/db';
import postgres from 'postgres';
import { afterAll, describe, expect, it } from 'vitest';
import { cluster } from '../harness/shared-cluster.ts';

const notGranted = '42501';
/** Thrown so that nothing of a statement that is not refused stays. */
class NotRefused extends Error {}

const open = (url: string) => postgres(url, { max: 1, onnotice: () => {} });
const roles = { gateway: open(cluster.database.gatewayUrl), worker: open(cluster.database.workerUrl) };
afterAll(() => Promise.all(Object.values(roles).map((sql) => sql.end())));

/** Returns the code of the error with which Postgres refuses a statement; `done` for one that it runs. */
async function refusalOf(sql: postgres.Sql, statement: string): Promise<string> {
  const run = sql.begin(async (tx) => {
    await tx.unsafe(statement);
    throw new NotRefused();
  });
  return run.then(
    () => 'done',
    (error: unknown) => (error instanceof postgres.PostgresError ? error.code : 'done'),
  );
}

async function expectAllRefused(sql: postgres.Sql, statements: readonly string[]): Promise<void> {
  const codes: Record<string, string> = {};
  for (const statement of statements) codes[statement] = await refusalOf(sql, statement);
  expect(codes).toEqual(Object.fromEntries(statements.map((statement) => [statement, notGranted])));
}

describe.each(['gateway', 'worker'] as const)('the role of a %s', (tier) => {
  const sql = roles[tier];

  it('E16 reaches neither programs nor files of the server', () =>
    expectAllRefused(sql, [
      `copy (select 1) to program 'true'`,
      `copy (select 1) to '/tmp/trunkline-rights'`,
      `select pg_read_file('/etc/passwd')`,
      `select pg_ls_dir('.')`,
      `select lo_import('/etc/passwd')`,
    ]));

  it('E16 changes nothing of the schema, and makes nothing beside it', () =>
    expectAllRefused(sql, [
      'create table own (id int)',
      'create table drizzle.own (id int)',
      'create temporary table own (id int)',
      'create schema own',
      'create function public.own() returns int language sql as $$ select 1 $$',
      'alter table users add column own int',
      'create index on users (firstname)',
      'drop table sessions',
      'truncate sessions',
      'truncate audit_log',
      'insert into drizzle.migrations (hash, created_at) values (1, 1)',
      'delete from drizzle.migrations',
    ]));

  it('E16 becomes no other role, makes none, and reads no password of one', () =>
    expectAllRefused(sql, [
      `set role ${roleNames.owner}`,
      `set role ${roleNames[tier === 'gateway' ? 'worker' : 'gateway']}`,
      'set role pg_read_server_files',
      'create role own',
      `alter role ${roleNames[tier]} superuser`,
      `grant ${roleNames.owner} to ${roleNames[tier]}`,
      'select rolpassword from pg_authid',
    ]));

  it('E16 stores nothing beside the tables', () =>
    expectAllRefused(sql, [
      'select lo_create(0)',
      'select lo_creat(-1)',
      `select lo_from_bytea(0, 'x')`,
      `select lo_put(1, 0, 'x')`,
      'select lo_open(1, 131072)',
      `select lowrite(0, 'x')`,
      `select pg_logical_emit_message(false, 'x', 'x')`,
      'select pg_export_snapshot()',
    ]));

  it('E16 opens no database but its own', async () => {
    for (const name of ['postgres', 'template1']) {
      const other = new URL(cluster.database[`${tier}Url`]);
      other.pathname = `/${name}`;
      const client = open(other.href);
      await expect(client`select 1`.execute(), name).rejects.toMatchObject({ code: notGranted });
      await client.end();
    }
  });
});

it('E16 a gateway changes no user, right, key or repository, and reads nothing that it has no use for', () =>
  expectAllRefused(roles.gateway, [
    'update users set admin = true',
    'update users set password_hash = null',
    'update users set active = true, last_login = now()',
    `insert into users (username, username_key) values ('own', 'own')`,
    'delete from users',
    `insert into api_keys (user_id, mac, sealed, secret_id) values (1, 'x', 'x', 'x')`,
    'update api_keys set user_id = 1',
    'delete from api_keys',
    'select sealed from api_keys',
    'select clone_uri_sealed from repositories',
    'update repositories set owner_id = 1',
    'update user_repository_permissions set level = 4',
    'insert into user_repository_permissions (user_id, repository_id, level) values (1, 1, 4)',
    'select 1 from user_global_permissions',
    'delete from user_ip_addresses',
    'select request from operations',
    `update operations set state = 'done'`,
    `update storages set state = 'lost'`,
    'select 1 from audit_log',
    'select 1 from client_fetches',
    `select record_client_fetches('{1}', '{1}', '{1}')`,
    'delete from audit_log',
  ]));

it('E16 a gateway holds no lock by a key, for which workers, backups or migrations would wait', async () => {
  const functions = ['', 'try_'].flatMap((how) => ['', 'xact_'].map((of) => `pg_${how}advisory_${of}lock`));
  const keys = ['1', '1, 1'];
  const locks = functions.flatMap((name) => keys.flatMap((key) => [`${name}(${key})`, `${name}_shared(${key})`]));
  await expectAllRefused(
    roles.gateway,
    locks.map((lock) => `select ${lock}`),
  );
  expect(await refusalOf(roles.worker, 'select pg_advisory_xact_lock(1)')).toBe('done');
});

it('E16 a worker opens no session, and forges no entry of the audit log and no owner of a key', () =>
  expectAllRefused(roles.worker, [
    `insert into sessions (user_id, mac, expires_at, ip) values (1, 'x', now(), '')`,
    'update sessions set user_id = 1',
    'update audit_log set actor_id = 1',
    'update api_keys set user_id = 1',
    'update api_keys set limited_to = null',
    'select 1 from sign_in_sources',
    `select nextval('audit_log_id_seq')`,
    `insert into client_fetches (id, period, actor_id, actor, repository_id, count) values (1, 1, 1, '', 1, 1)`,
    'update client_fetches set count = 1',
    'update users set last_login = null',
  ]));

it('E16 both run what they need: the statement that is refused is not all of them', async () => {
  expect(await refusalOf(roles.gateway, 'update users set last_login = now()')).toBe('done');
  expect(await refusalOf(roles.worker, 'update users set admin = true')).toBe('done');
});

it('a set-up by a role that is no superuser leaves to everybody what it cannot revoke, and says so', async () => {
  const notices: postgres.Notice[] = [];
  const owner = postgres(cluster.database.ownerUrl, { max: 1, onnotice: (notice) => notices.push(notice) });
  const [statement = ''] = databaseStatements('"unused"').slice(-1);
  await owner.unsafe(statement);
  await owner.end();
  expect(notices.length).toBeGreaterThan(0);
  expect(notices.filter(({ severity }) => severity !== 'WARNING')).toEqual([]);
});
