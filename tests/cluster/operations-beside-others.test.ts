import { randomUUID } from 'node:crypto';
import { migrate, openDatabase, type OpenDatabase } from '@trunkline/db';
import { createDatabase } from '@trunkline/local';
import postgres from 'postgres';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { findEnded } from '../../apps/vcs-worker/src/jobs/operations/operation-end.ts';
import { insertClaimed, RepositoryBusyError } from '../../apps/vcs-worker/src/jobs/operations/operation-store.ts';

let database: OpenDatabase;
let sql: postgres.Sql;
/** Ids of a repository and of one that is made from it. */
let source: number;
let fork: number;

beforeAll(async () => {
  const url = await createDatabase(inject('postgresUrl'), `test_${randomUUID().replaceAll('-', '').slice(0, 12)}`);
  await migrate(url);
  database = openDatabase(url, { connectionsMax: 2, name: 'test' });
  sql = postgres(url, { max: 1, onnotice: () => {} });
  await sql`insert into storages (id, name) values (${randomUUID()}, 'default')`;
  await sql`insert into users (username, username_key, firstname, lastname, active, admin)
    values ('ann', 'ann', 'Ann', 'Example', true, true)`;
  const insert = async (name: string) => {
    await sql`insert into names (path, kind) values (${name}, 'repository')`;
    const [row] = await sql<{ id: number }[]>`
      insert into repositories (uuid, name, type, state, storage_id, storage_path, private, description,
        owner_id, landing_rev, enable_downloads, enable_locking, enable_statistics)
      select gen_random_uuid(), ${name}, 'git', 'ready', s.id, ${name}, false, '', u.id, 'tip', false, false, false
        from storages s, users u where u.username = 'ann' returning id`;
    return Number(row?.id);
  };
  [source, fork] = [await insert('source'), await insert('fork')];
});
afterAll(async () => {
  await sql.end();
  await database.close();
});
beforeEach(() => sql`truncate operations`);

/** Begins an operation; those of a move are no exclusive ones. */
async function begin(kind: 'pull' | 'fork', repositoryId: number, more: { exclusive?: boolean } = {}): Promise<string> {
  const id = randomUUID();
  const ofSource = kind === 'fork' ? { sourceRepositoryId: source } : {};
  const operation = { id, kind, repositoryId, ...ofSource, actorId: 1, request: {}, busyText: 'busy', ...more };
  await database.db.transaction((tx) => insertClaimed(tx, operation, randomUUID(), 30));
  return id;
}

const beside = { exclusive: false };

describe('an operation that is not exclusive', () => {
  it('lets one exclusive operation run on its repository, and no second one', async () => {
    await begin('pull', source, beside);
    await begin('pull', source);
    await expect(begin('pull', source)).rejects.toThrow(RepositoryBusyError);
  });

  it('begins while an exclusive operation or a fork runs, and forks begin beside it', async () => {
    await begin('pull', source);
    await begin('pull', source, beside);
    await sql`delete from operations where exclusive`;
    await begin('fork', fork);
    await expect(begin('pull', source)).rejects.toThrow(RepositoryBusyError);
  });

  it('keeps no call waiting for its repository, but calls that wait for itself', async () => {
    const id = await begin('pull', source, beside);
    const watched = [
      { kind: 'repository', id: source },
      { kind: 'operation', id },
    ] as const;
    expect(await findEnded(database.db, watched)).toEqual([watched[0]]);
    await sql`update operations set exclusive = true where id = ${id}`;
    expect(await findEnded(database.db, watched)).toEqual([]);
  });

  it('records the epoch and the storage of its repository', async () => {
    const id = await begin('pull', source, beside);
    const [row] = await sql`
      select o.epoch::int, o.storage_id = r.storage_id as stored, o.target_storage_id from operations o
        join repositories r on r.id = o.repository_id where o.id = ${id}`;
    expect(row).toEqual({ epoch: 1, stored: true, target_storage_id: null });
  });
});
