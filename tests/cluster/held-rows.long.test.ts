import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { eventually } from '../harness/eventually.ts';
import { isNativeGitFetch, makeGitRemote } from '../harness/remotes.ts';
import { someFile } from '../harness/unique-name.ts';

const unavailable = 'Service is temporarily unavailable, try again later';
const busy = 'Service is busy, try again later';

const heldNames = Array.from({ length: 8 }, (_, index) => `held-${index}`);
const freeNames = Array.from({ length: 4 }, (_, index) => `free-${index}`);
/** Default of TRUNKLINE_WRITE_CONNECTIONS: no other connection of a worker waits for a row. */
const writeConnections = 6;
const rounds = 20;

let cluster: Cluster;
let admin: Client;
let sql: postgres.Sql;
/** One client for each held repository, and another one. */
const clients: Client[] = [];

async function makeClient(username: string): Promise<Client> {
  await admin.result('create_user', { username, email: `${username}@example.org`, admin: true });
  const { api_key } = await admin.result<{ api_key: string }>('get_user', { userid: username });
  return createClient(cluster.baseUrl, api_key);
}

beforeAll(async () => {
  cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 1, workers: 1 });
  admin = createClient(cluster.baseUrl, cluster.adminKey);
  sql = postgres(cluster.databaseUrl, { max: 2, onnotice: () => {} });
  for (const repo_name of [...heldNames, ...freeNames]) await admin.result('create_repo', { repo_name });
  for (const name of [...heldNames, 'other']) clients.push(await makeClient(name.replace('held', 'client')));
});
afterAll(async () => {
  await sql.end();
  await cluster.kill();
});

function clientAt(index: number): Client {
  const client = clients.at(index);
  if (!client) throw new Error(`there is no client ${index}`);
  return client;
}

/** Runs `work` while another transaction holds what it locks first. */
async function whileHeld(
  lock: (tx: postgres.TransactionSql) => Promise<unknown>,
  work: (tx: postgres.TransactionSql) => Promise<unknown>,
): Promise<void> {
  const holder = postgres(cluster.databaseUrl, { max: 1 });
  try {
    await holder.begin(async (tx) => {
      await lock(tx);
      await work(tx);
    });
  } finally {
    await holder.end();
  }
}

const holding = (name: string) => (tx: postgres.TransactionSql) =>
  tx`select 1 from repositories where name like ${name} for update`;

/** Lists the connections that wait for a lock: their names, and when their transactions began. */
const waitingForLocks = () => sql<{ name: string; began: string }[]>`
  select application_name as name, xact_start::text as began from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock'`;

/** Waits until three transactions, one after the other, have waited for a lock. */
async function triedAgain(): Promise<void> {
  const seen = new Set<string>();
  const look = async () => {
    for (const { began } of await waitingForLocks()) seen.add(began);
    return seen.size;
  };
  await eventually(look, (tries) => tries >= 3);
}

const grantOn = (client: Client, repoid: string | undefined, userid = 'default') =>
  client.call('grant_user_permission', { repoid, userid, perm: 'repository.write' });

/** Grants until the grant is made, since the time of a call may be up before the row is free. */
async function grantHeld(client: Client, repoid: string, made: string[], userid?: string): Promise<void> {
  for (;;) {
    const reply = await grantOn(client, repoid, userid);
    if (reply.error === null) {
      made.push(repoid);
      return;
    }
    expect([unavailable, busy]).toContain(reply.error);
  }
}

it('E6 while rows of eight repositories are held, other calls are answered, and each waiting grant is made once', async () => {
  const made: string[] = [];
  const waiters: string[] = [];
  let pending: Promise<unknown> = Promise.resolve();
  await whileHeld(holding('held-%'), async () => {
    // Two grants on each held repository, by its own client and by the administrator.
    pending = Promise.all(
      heldNames.flatMap((name, index) => [grantHeld(clientAt(index), name, made), grantHeld(admin, name, made)]),
    );
    pending.catch(() => {});
    await eventually(waitingForLocks, (rows) => rows.length > 0);
    for (let round = 0; round < rounds; round += 1) {
      const own = round % heldNames.length;
      const free = freeNames[round % freeNames.length];
      const calls = [
        clientAt(-1).call('get_ip', { userid: 'other' }),
        clientAt(-1).call('get_repo', { repoid: heldNames[own] }),
        grantOn(clientAt(-1), free),
        grantOn(clientAt(own), free),
      ];
      const waiting = await waitingForLocks();
      expect(waiting.length).toBeLessThanOrEqual(writeConnections);
      waiters.push(...waiting.map(({ name }) => name));
      expect((await Promise.all(calls)).map((reply) => reply.error)).toEqual([null, null, null, null]);
    }
    expect(made).toEqual([]);
  });
  await pending;

  expect(made.toSorted()).toEqual([...heldNames, ...heldNames].toSorted());
  expect(waiters.filter((name) => !name.includes(' writes '))).toEqual([]);
  const recorded = await sql<{ name: string; count: number }[]>`
    select r.name, count(*)::int as count from audit_log a join repositories r on r.id = a.repository_id
    where a.method = 'grant_user_permission' and a.outcome = 'succeeded' and r.name like 'held-%'
    group by r.name order by r.name`;
  expect(recorded.map(({ name, count }) => [name, count])).toEqual(heldNames.map((name) => [name, 2]));
}, 120_000);

it('E6 while the row of a user is held, grants to others on the same repository are made', async () => {
  const made: string[] = [];
  let pending: Promise<void> | undefined;
  await whileHeld(
    (tx) => tx`select 1 from users where username = 'client-0' for update`,
    async () => {
      pending = grantHeld(clientAt(1), 'free-0', made, 'client-0');
      await triedAgain();
      expect((await grantOn(clientAt(2), 'free-0', 'client-2')).error).toBeNull();
      expect(made).toEqual([]);
    },
  );
  await pending;
});

// Methods of the lane `storage`, whose time is long enough for several attempts on a slow machine.
describe('B8 C7 a call that is tried again while the row of its repository is held', () => {
  it('forbidden: is refused when its caller has lost the right meanwhile', async () => {
    await admin.result('create_repo', { repo_name: 'lost', private: true });
    const ann = await makeClient('ann');
    let pending: Promise<string> | undefined;
    await whileHeld(holding('lost'), async (tx) => {
      pending = ann.error('invalidate_cache', { repoid: 'lost' });
      await triedAgain();
      await tx`update users set admin = false where username = 'ann'`;
    });
    expect(await pending).toBe('repository `lost` does not exist');
  });

  it('does not change another repository that has the name now', async () => {
    for (const repo_name of ['taken', 'next']) await admin.result('create_repo', { repo_name });
    let pending: Promise<string> | undefined;
    await whileHeld(holding('taken'), async (tx) => {
      pending = admin.error('delete_repo', { repoid: 'taken' });
      await triedAgain();
      await tx`update names set path = 'away' where path = 'taken'`;
      await tx`update names set path = 'taken' where path = 'next'`;
    });
    expect(await pending).toBe('repository `taken` does not exist');
    expect(await admin.result('get_repo', { repoid: 'taken' })).not.toBeNull();
  });
});

async function busyTransfers(): Promise<number> {
  const text = await (await fetch(cluster.metricsUrls.at(-1) ?? '')).text();
  return Number(/^trunkline_lane_slots_busy\{lane="transfer"\} (\d+)$/m.exec(text)?.[1]);
}

describe('the end of an operation whose repository’s row is held', () => {
  /** Starts a pull that has changesets to record, and holds the row before its end. */
  async function pullHeld(name: string, work: (tx: postgres.TransactionSql) => Promise<unknown>) {
    let asked = 0;
    let open = () => {};
    let opened: Promise<void> = Promise.resolve();
    const remote = await makeGitRemote({
      intercept: async (request) => {
        if (!isNativeGitFetch(request)) return false;
        asked += 1;
        await opened;
        return false;
      },
    });
    await remote.commit({ [someFile]: '1' });
    await admin.result('create_repo', { repo_name: name, repo_type: 'git', clone_uri: remote.url });
    const rawId = await remote.commit({ [someFile]: '2' });
    opened = new Promise((resolve) => (open = resolve));
    asked = 0;
    const call = admin.call('pull', { repoid: name });
    await eventually(
      async () => asked,
      (times) => times > 0,
    );
    await whileHeld(holding(name), async (tx) => {
      open();
      await triedAgain();
      await work(tx);
    });
    await remote.close();
    return { call, rawId };
  }

  it('waits for the row without a connection, and is recorded when the row is free', async () => {
    const { call, rawId } = await pullHeld('ending', async () => {
      expect((await grantOn(clientAt(0), freeNames[0])).error).toBeNull();
      expect(await admin.result('list_operations', { state: 'running' })).toHaveLength(1);
    });
    expect((await call).result).toBe('Pulled from `ending`');
    expect(await admin.result('get_repo', { repoid: 'ending' })).toMatchObject({ last_changeset: { raw_id: rawId } });
  });

  it('C6 is not recorded by an attempt that has lost its lease meanwhile', async () => {
    const { call } = await pullHeld('fenced', async () => {
      await sql`update operations set worker = 'another', attempt = attempt + 1, lease_until = now() + interval '1 hour'
        where state = 'running'`;
      // The attempt gives its slot back while the row is still held.
      await eventually(busyTransfers, (busy) => busy === 0);
    });
    expect(await sql`select state, worker from operations where state = 'running'`).toEqual([
      { state: 'running', worker: 'another' },
    ]);
    await sql`update operations set state = 'failed', finished_at = now() where state = 'running'`;
    expect((await call).error).not.toBeNull();
  });
});
