import fc from 'fast-check';
import { afterAll, assert, beforeAll, describe, expect, inject, it, onTestFailed } from 'vitest';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { possibilitiesAfter, type HistoryEvent, type Possibility } from '../harness/linearizability.ts';
import { chosenSeed, sampled } from '../harness/random.ts';
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

const callsInARound = { minLength: 5, maxLength: 5 };
const clientsInARound = { minLength: 8, maxLength: 8 };

/** Generates calls that read or change repositories of three names. */
function callsAbout(names: readonly [string, string, string]): fc.Arbitrary<RepositoryCall> {
  const name = fc.constantFrom(...names);
  const type = fc.constantFrom('hg' as const, 'git' as const);
  const holder = fc.constantFrom(null, 'admin', 'ann');
  const plain = fc.constantFrom('delete' as const, 'readLock' as const, 'read' as const, 'read' as const);
  const rename = fc.tuple(name, fc.constantFrom(1, 2)).map(([from, step]) => {
    const to = names[(names.indexOf(from) + step) % 3] ?? from;
    return { kind: 'rename' as const, name: from, to };
  });
  return fc.oneof(
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('create' as const), name, type }) },
    { weight: 2, arbitrary: rename },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('lock' as const), name, holder }) },
    { weight: 4, arbitrary: fc.record({ kind: plain, name }) },
  );
}

async function observe(at: number, call: RepositoryCall): Promise<HistoryEvent<NameStates>> {
  const { method, args } = requestOf(call);
  const invoked = performance.now();
  const reply = await clients[at]?.call(method, args);
  assert(reply);
  const responded = performance.now();
  const answer = reply.error ?? JSON.stringify(reply.result)?.slice(0, 80);
  const times = `${invoked.toFixed(1)}-${responded.toFixed(1)}`;
  return eventOf(call, reply, {
    label: `${times} client ${at} ${JSON.stringify(call)}: ${answer}`,
    invoked,
    responded,
  });
}

async function callInTurn(at: number, calls: readonly (RepositoryCall | null)[]): Promise<HistoryEvent<NameStates>[]> {
  const events: HistoryEvent<NameStates>[] = [];
  for (const call of calls) if (call !== null) events.push(await observe(at, call));
  return events;
}

/** Returns the call with names that only this history uses. */
function named(call: RepositoryCall | null, own: (word: string) => string): RepositoryCall | null {
  if (call === null) return null;
  return 'to' in call ? { ...call, name: own(call.name), to: own(call.to) } : { ...call, name: own(call.name) };
}

function story(before: readonly Possibility<NameStates>[], events: readonly HistoryEvent<NameStates>[]): string {
  const calls = events.toSorted((a, b) => a.invoked - b.invoked).map(({ label }) => label);
  return [...before.map(({ state }) => JSON.stringify(state)), ...calls].join('\n');
}

describe('C7 repositories of a few names, worked on by eight clients over two gateways and three workers', () => {
  it('behave as if every call had acted in one moment', async () => {
    const seed = chosenSeed();
    onTestFailed(() => console.error(`TRUNKLINE_TEST_SEED=${seed}`));
    // Each history has its own names, so that fast-check can try a shorter one in the same cluster.
    let histories = 0;
    const words = ['red', 'green', 'blue'] as const;
    const calls = fc.array(fc.option(callsAbout(words), { freq: 19 }), callsInARound);
    const rounds = fc.array(fc.array(calls, clientsInARound), { minLength: 1, maxLength: 5 });
    const isLinearizable = fc.asyncProperty(rounds, async (history) => {
      histories += 1;
      const own = (word: string) => `${word}-${histories}`;
      const absent: NameStates = Object.fromEntries(words.map((word) => [own(word), 'absent' as const]));
      let possibilities: Possibility<NameStates>[] = [{ state: absent, open: [] }];
      for (const round of history) {
        const events = await Promise.all(
          round.map((calls, at) =>
            callInTurn(
              at,
              calls.map((call) => named(call, own)),
            ),
          ),
        );
        const after = possibilitiesAfter(possibilities, events.flat());
        expect(after.length, `no order explains this:\n${story(possibilities, events.flat())}`).toBeGreaterThan(0);
        possibilities = after;
      }
    });
    await fc.assert(isLinearizable, {
      ...sampled(seed, 0, 8),
      interruptAfterTimeLimit: 100_000,
      markInterruptAsFailure: true,
    });
  }, 120_000);
});
