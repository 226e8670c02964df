import { afterAll, beforeAll, describe, expect, inject, it, onTestFailed } from 'vitest';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { possibilitiesAfter, type HistoryEvent, type Possibility } from '../harness/linearizability.ts';
import { chosenSeed, seededRandom, type Random } from '../harness/random.ts';
import { eventOf, requestOf, type NameStates, type RepositoryCall } from '../harness/repository-model.ts';

let cluster: Cluster;
let clients: Client[];

beforeAll(async () => {
  cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 2, workers: 3 });
  clients = Array.from({ length: 8 }, (_, index) =>
    createClient(cluster.baseUrls[index % 2] ?? cluster.baseUrl, cluster.adminKey),
  );
  const [admin] = clients;
  await admin?.result('create_user', { username: 'ann', email: 'ann@example.com' });
});
afterAll(async () => {
  await cluster.stop();
});

const names = ['red', 'green', 'blue'] as const;
const kinds = ['create', 'create', 'create', 'rename', 'rename', 'delete', 'lock', 'readLock', 'read', 'read'] as const;

function draw(random: Random): RepositoryCall {
  const name = random.pick(names);
  const kind = random.pick(kinds);
  if (kind === 'create') return { kind, name, type: random.pick(['hg', 'git']) };
  if (kind === 'rename') return { kind, name, to: names[(names.indexOf(name) + 1 + random.below(2)) % 3] ?? name };
  if (kind === 'lock') return { kind, name, holder: random.pick([null, 'admin', 'ann']) };
  return { kind, name };
}

interface Caller {
  readonly client: Client;
  readonly random: Random;
  readonly name: string;
}

async function hear({ client, name }: Caller, call: RepositoryCall): Promise<HistoryEvent<NameStates>> {
  const { method, args } = requestOf(call);
  const invoked = performance.now();
  const reply = await client.call(method, args);
  const responded = performance.now();
  const answer = reply.error ?? JSON.stringify(reply.result)?.slice(0, 80);
  const times = `${invoked.toFixed(1)}-${responded.toFixed(1)}`;
  return eventOf(call, reply, { label: `${times} ${name} ${JSON.stringify(call)}: ${answer}`, invoked, responded });
}

async function callInTurn(caller: Caller): Promise<HistoryEvent<NameStates>[]> {
  const events: HistoryEvent<NameStates>[] = [];
  while (events.length < 5) events.push(await hear(caller, draw(caller.random)));
  return events;
}

function story(before: readonly Possibility<NameStates>[], events: readonly HistoryEvent<NameStates>[]): string {
  const calls = events.toSorted((a, b) => a.invoked - b.invoked).map(({ label }) => label);
  return [...before.map(({ state }) => JSON.stringify(state)), ...calls].join('\n');
}

describe('C7 repositories of a few names, worked on by eight clients over two gateways and three workers', () => {
  it('behave as if every call had acted in one moment', async () => {
    const seed = chosenSeed();
    onTestFailed(() => console.error(`TRUNKLINE_TEST_SEED=${seed}`));
    const callers = clients.map((client, at) => ({ client, random: seededRandom(seed, at), name: `client ${at}` }));
    const absent: NameStates = Object.fromEntries(names.map((name) => [name, 'absent' as const]));
    let possibilities: Possibility<NameStates>[] = [{ state: absent, open: [] }];
    for (let round = 0; round < 25; round += 1) {
      const events = (await Promise.all(callers.map(callInTurn))).flat();
      const after = possibilitiesAfter(possibilities, events);
      if (after.length === 0) throw new Error(`no order explains this:\n${story(possibilities, events)}`);
      possibilities = after;
    }
    expect(possibilities).not.toEqual([]);
  });
});
