import { randomUUID } from 'node:crypto';
import { ConflictError, UnavailableError } from '@trunkline/contracts';
import { migrate, openDatabase, type OpenDatabase } from '@trunkline/db';
import { createDatabase } from '@trunkline/local';
import postgres from 'postgres';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { endCreation, insertCreation } from '../../apps/vcs-worker/src/jobs/operations/creation-store.ts';
import { insertRepository } from '../../apps/vcs-worker/src/domain/repo/new-repository-store.ts';
import { FencedError } from '../../apps/vcs-worker/src/jobs/operations/operation-store.ts';

const worker = randomUUID();
const storageId = randomUUID();

let database: OpenDatabase;
let sql: postgres.Sql;

beforeAll(async () => {
  const url = await createDatabase(inject('postgresUrl'), `test_${randomUUID().replaceAll('-', '').slice(0, 12)}`);
  await migrate(url);
  database = openDatabase(url, { connectionsMax: 2, name: 'test' });
  sql = postgres(url, { max: 1, onnotice: () => {} });
  await sql`insert into storages (id, name) values (${storageId}, 'default')`;
  await sql`insert into users (username, username_key, firstname, lastname, active, admin)
    values ('ann', 'ann', 'Ann', 'Example', true, true), ('default', 'default', '', '', true, false)`;
});
afterAll(async () => {
  await sql.end();
  await database.close();
});
beforeEach(async () => {
  await sql`truncate operations, audit_log, repositories, names, followers, user_repository_permissions cascade`;
  await sql`update storages set state = 'active'`;
});

/** Creates a repository of this name in a transaction of a call. */
async function create(name: string, requestId: string = randomUUID()) {
  const [{ id: ownerId } = { id: 0 }] = await sql<{ id: number }[]>`select id from users where username = 'ann'`;
  const uuid = randomUUID();
  const repository = {
    uuid,
    name,
    type: 'git' as const,
    storageId,
    storagePath: `@repos/${uuid}`,
    ownerId,
    landingRev: 'tip',
    private: false,
    description: '',
    enableDownloads: false,
    enableLocking: false,
    enableStatistics: false,
  };
  const called = { requestId, userId: ownerId, ip: '127.0.0.1', method: 'create_repo', args: {}, recorded: false };
  const recordedAs = { entry: called, actor: 'ann' };
  return database.db.transaction(async (tx) => {
    const inserted = await insertRepository(tx, repository, 1);
    if (!inserted) return null;
    const request = { name, record: { repo_id: inserted.id } };
    const creation = { kind: 'create', repository: inserted, request } as const;
    return insertCreation(tx, creation, { worker, leaseSeconds: 30 }, recordedAs);
  });
}

async function begun(name: string) {
  const operation = await create(name);
  if (!operation) throw new Error('the name is taken');
  return operation;
}

const end = (operation: Awaited<ReturnType<typeof begun>>) =>
  endCreation(database.db, operation, worker, { defaultBranch: 'master', sizeBytes: 4_096 });

/** Reads the states of everything that a creation writes. */
const states = () =>
  sql`select r.name, r.state, r.generation::int, o.state as operation, a.outcome, f.user_id is not null as followed,
      p.level, (o.request->'record'->>'repo_id')::int = r.id as told
    from repositories r join operations o on o.repository_id = r.id join audit_log a on a.request_id = o.id
      left join followers f on f.repository_id = r.id
      left join user_repository_permissions p on p.repository_id = r.id order by r.name`;
const common = { followed: true, level: 1, told: true };
const running = { ...common, state: 'creating', generation: 1, operation: 'running', outcome: 'running' };
const done = { ...common, state: 'ready', generation: 2, operation: 'done', outcome: 'succeeded' };

describe('a creation', () => {
  it('is begun as a whole, and ends as a whole', async () => {
    const operation = await begun('one');
    expect(operation).toMatchObject({ attempt: 1, storageId, epoch: 1, created: { type: 'git', cloneUri: null } });
    expect(await states()).toEqual([{ name: 'one', ...running }]);
    await end(operation);
    expect(await states()).toEqual([{ name: 'one', ...done }]);
    expect(await sql`select default_branch, size_bytes::int from repositories`).toEqual([
      { default_branch: 'master', size_bytes: 4_096 },
    ]);
  });

  it('begins nothing under a name that is taken, or on a storage that takes no writes any more', async () => {
    await begun('one');
    expect(await create('one')).toBeNull();
    await sql`update storages set state = 'read-only'`;
    await expect(create('two')).rejects.toThrow(ConflictError);
    expect(await states()).toEqual([{ name: 'one', ...running }]);
  });

  it('E4 is not begun twice by the same command', async () => {
    const operation = await begun('one');
    await expect(create('two', operation.id)).rejects.toThrow(UnavailableError);
    const refused = randomUUID();
    await sql`insert into audit_log (request_id, actor_id, actor, ip, method, args, outcome)
      values (${refused}, 1, 'ann', '127.0.0.1', 'create_repo', '{}', 'failed')`;
    await expect(create('two', refused)).rejects.toThrow(UnavailableError);
    expect(await states()).toEqual([{ name: 'one', ...running }]);
  });

  it.each([
    ['was taken over', 'attempt', '2'],
    ['has lost its lease', 'lease_until', 'now()'],
    ['is of another worker', 'worker', `'other'`],
  ])('C7 is ended by no attempt that %s', async (_what, column, value) => {
    const operation = await begun('one');
    await sql.unsafe(`update operations set ${column} = ${value}`);
    await expect(end(operation)).rejects.toThrow(FencedError);
    expect(await states()).toEqual([{ name: 'one', ...running }]);
  });

  it('C7 is not ended where the repository no longer is', async () => {
    const operation = await begun('one');
    await sql`update repositories set epoch = 2`;
    await expect(end(operation)).rejects.toThrow(FencedError);
    expect(await states()).toEqual([{ name: 'one', ...running }]);
  });
});
