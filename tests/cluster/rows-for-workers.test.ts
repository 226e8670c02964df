import { randomUUID } from 'node:crypto';
import { openDatabase, operationKinds, type OpenDatabase, type Transaction } from '@trunkline/db';
import postgres from 'postgres';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { removeCountedRefusals } from '../../apps/vcs-worker/src/domain/audit/refusal-store.ts';
import { claimOrphans, createOrphanTaker } from '../../apps/vcs-worker/src/jobs/sweeps/take-orphans.ts';
import { extendLeases, releaseLeases } from '../../apps/vcs-worker/src/jobs/operations/lease-store.ts';
import { removeEnded } from '../../apps/vcs-worker/src/jobs/operations/operation-store.ts';
import { removeEndedSessions } from '../../apps/vcs-worker/src/domain/user/session-store.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';

let cluster: Cluster;
let database: OpenDatabase;

beforeAll(async () => {
  cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 0, workers: 0 });
  database = openDatabase(cluster.databaseUrl, { connectionsMax: 1, name: 'test' });
});
afterAll(async () => {
  await database.close();
  await cluster.stop();
});
beforeEach(() => database.db.execute('truncate operations, sessions, counted_refusals'));

/** Runs statements with settings by which Postgres runs a sub-select again for each row. */
function withCostlyPlan<T>(act: (tx: Transaction) => Promise<T>): Promise<T> {
  return database.db.transaction(async (tx) => {
    for (const plan of ['hashjoin', 'mergejoin', 'material', 'hashagg', 'sort', 'memoize']) {
      await tx.execute(`set local enable_${plan} = off`);
    }
    return act(tx);
  });
}

describe('whatever the plan', () => {
  const rows = 'from generate_series(1, 50) n';
  const batch = { from: null, rowsMax: 3 };
  const all = { kinds: operationKinds, userMax: 50 };

  it('a worker takes over no more operations than it has slots for', async () => {
    const storageId = randomUUID();
    await database.db.execute(`
      insert into operations (id, kind, repository_id, storage_id, request, state, worker, lease_until)
      select gen_random_uuid(), 'pull', n, '${storageId}', '{}', 'running', 'dead', now() - interval '1 s' ${rows}`);
    const worker = { id: randomUUID(), leaseSeconds: 30 };
    const claimed = await withCostlyPlan((tx) => claimOrphans(tx, worker, { ...all, storageId, limit: 3 }));
    expect(claimed).toHaveLength(3);
  });

  it('a worker leaves operations whose kind it does not know to workers of another release', async () => {
    const [storageId, known] = [randomUUID(), randomUUID()];
    await database.db.execute(`
      insert into operations (id, kind, repository_id, storage_id, request, state, worker, lease_until)
      select id, kind, n, '${storageId}', '{}', 'running', 'dead', now() - interval '1 s'
        from (values ('${randomUUID()}'::uuid, 'of_next_release', 1), ('${known}', 'pull', 2)) o (id, kind, n)`);
    const self = { id: randomUUID(), leaseSeconds: 30 };
    const claimed = await claimOrphans(database.db, self, { ...all, storageId, limit: 3 });
    expect(claimed.map(({ id }) => id)).toEqual([known]);
  });

  it('no more operations are removed than a batch has', async () => {
    await database.db.execute(`
      insert into operations (id, kind, repository_id, request, state, finished_at)
      select gen_random_uuid(), 'pull', n, '{}', 'done', now() - interval '2 years' ${rows}`);
    expect(await withCostlyPlan((tx) => removeEnded(tx, 30, batch))).toMatchObject({ rows: 3 });
  });

  it('no more sessions are removed than a batch has', async () => {
    await database.db.execute(`
      with ann as (insert into users (username, username_key) values ('ann', 'ann') returning id)
      insert into sessions (mac, ip, user_id, expires_at)
      select sha256(n::text::bytea), '', id, now() - interval '1 day' from ann, generate_series(1, 50) n`);
    expect(await withCostlyPlan((tx) => removeEndedSessions(tx, batch))).toMatchObject({ rows: 3 });
  });

  it('no more counted refusals are removed than a batch has', async () => {
    await database.db.execute(`
      insert into counted_refusals (request_id, at, actor_id, method, error)
      select gen_random_uuid(), now() - interval '1 day', n, '', '' ${rows}`);
    expect(await withCostlyPlan((tx) => removeCountedRefusals(tx, batch))).toMatchObject({ rows: 3 });
  });
});

describe('a worker that takes over what others have begun', () => {
  it('F5 leaves slots to short operations, and half of those for long ones to other users', async () => {
    const storageId = randomUUID();
    await database.db.execute(`
      insert into operations (id, kind, repository_id, actor_id, storage_id, request, state, worker, attempt,
        lease_until, created_at)
      select gen_random_uuid(), kind, n, actor, '${storageId}', '{}', 'running', 'dead', 1, now() - interval '1 s',
        now() + n * interval '1 s'
      from (select n, 'import' as kind, 1 as actor from generate_series(1, 10) n
        union all select 11, 'pull', 2 union all select 12, 'maintain', null union all select 13, 'push', 1) o`);
    const taken: string[] = [];
    let end = () => {};
    const ended = new Promise<void>((resolve) => (end = resolve));
    const taker = createOrphanTaker({
      db: database.db,
      self: { id: randomUUID(), leaseSeconds: 30 },
      slots: 4,
      storageCount: 1,
      takeMore: () => {},
      takeOver: ({ kind }) => {
        taken.push(kind);
        return ended;
      },
    });
    await taker.take(storageId);
    expect(taken).toEqual(['push', 'import', 'import', 'pull', 'maintain']);
    end();
    await taker.settled();
  });
});

describe('while another transaction holds the row of an operation', () => {
  const [held, free, taken] = [randomUUID(), randomUUID(), randomUUID()];
  const attempts = [held, free, taken].map((id) => ({
    id,
    attempt: 1,
    progress: { phase: 'cloning', done: 1, total: 2 },
  }));

  const state = () =>
    database.db.execute(`select id, progress->>'phase' as phase, lease_until > now() + interval '1 hour' as extended,
      handovers from operations where worker = 'own'`);

  async function whileHeld(act: () => Promise<unknown>): Promise<void> {
    await database.db.execute(`
      insert into operations (id, kind, repository_id, request, state, worker, attempt, lease_until) values
      ('${held}', 'pull', 1, '{}', 'running', 'own', 1, now() + interval '1 minute'),
      ('${free}', 'pull', 2, '{}', 'running', 'own', 1, now() + interval '1 minute'),
      ('${taken}', 'pull', 3, '{}', 'running', 'another', 2, now() + interval '1 minute')`);
    const holder = postgres(cluster.databaseUrl, { max: 1 });
    try {
      await holder.begin(async (tx) => {
        await tx`update operations set cancel_requested_at = now() where id = ${held}`;
        await act();
      });
    } finally {
      await holder.end();
    }
  }

  it('E6 the leases of the others are extended, and this one is neither extended nor lost', async () => {
    await whileHeld(async () => {
      const known = await extendLeases(database.db, attempts, 'own', 7_200);
      expect(known.toSorted((a, b) => Number(a.extended) - Number(b.extended))).toEqual([
        { id: held, extended: false, cancelRequested: false },
        { id: free, extended: true, cancelRequested: false },
      ]);
    });
    expect(await state()).toEqual(
      expect.arrayContaining([
        { id: held, phase: null, extended: false, handovers: 0 },
        { id: free, phase: 'cloning', extended: true, handovers: 0 },
      ]),
    );
    expect(await extendLeases(database.db, attempts, 'own', 7_200)).toContainEqual({
      id: held,
      extended: true,
      cancelRequested: true,
    });
  });

  it('E6 the leases of the others are released', async () => {
    await whileHeld(() => releaseLeases(database.db, [held, free, taken], 'own'));
    expect(await state()).toEqual(
      expect.arrayContaining([
        { id: held, phase: null, extended: false, handovers: 0 },
        { id: free, phase: null, extended: false, handovers: 1 },
      ]),
    );
  });
});
