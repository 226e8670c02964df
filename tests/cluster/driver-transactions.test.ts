import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createDatabase } from '@trunkline/local';
import postgres from 'postgres';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { uniqueAscii } from '../harness/unique-name.ts';

/** Number of queries that the driver sends on a connection beyond the running one. */
const pipelineMax = 100;

let url: string;
let observer: postgres.Sql;

beforeAll(async () => {
  url = await createDatabase(inject('postgresUrl'), uniqueAscii('driver'));
  observer = postgres(url, { max: 1 });
  await observer`create table written (by text)`;
});
afterAll(() => observer.end());
beforeEach(() => observer`truncate written`);

const written = async () => (await observer<{ by: string }[]>`select by from written order by by`).map(({ by }) => by);

/** Sends one query and then `queries` more on each connection of a pool, and then a BEGIN. */
async function beginBehind(queries: number, connections: number): Promise<readonly unknown[]> {
  const client = postgres(url, { max: connections });
  const onEach = <T>(act: (index: number) => Promise<T>) =>
    Array.from({ length: connections }, (_, index) => act(index));
  const query = () => client.unsafe('select 1').execute();
  await Promise.all(onEach(query));
  const before = Array.from({ length: 1 + queries }, () => onEach(query)).flat();
  const transactions = onEach((index) =>
    client.begin(async (tx) => {
      await tx`insert into written (by) values (${`transaction ${index}`})`;
      throw new Error(`${index} is rolled back`);
    }),
  );
  const others = onEach(() => client`insert into written (by) values ('another call')`.execute());
  const outcomes = await Promise.allSettled(transactions);
  await Promise.all([...before, ...others]);
  await client.end();
  return outcomes.map((outcome) => (outcome.status === 'rejected' ? String(outcome.reason) : 'committed'));
}

describe('a transaction', () => {
  it.each([
    ['just not filled', pipelineMax - 2, 1],
    ['filled', pipelineMax - 1, 1],
    ['full already', pipelineMax, 1],
    ['just not filled', pipelineMax - 2, 3],
    ['filled', pipelineMax - 1, 3],
    ['full already', pipelineMax, 3],
  ])(
    'has its connection to itself with a pipeline %s by its BEGIN: %i queries, %i connections',
    async (_, queries, connections) => {
      const expected = Array.from({ length: connections }, (__, index) => `Error: ${index} is rolled back`);
      expect(await beginBehind(queries, connections)).toEqual(expected);
      expect(await written()).toEqual(expected.map(() => 'another call'));
    },
  );

  it('has its connection to itself when the socket has drained', async () => {
    const sockets: Socket[] = [];
    const { hostname, port } = new URL(url);
    const dial = async () => {
      const socket = connect(Number(port), hostname);
      sockets.push(socket);
      await once(socket, 'connect');
      return socket;
    };
    const client = postgres(url, { max: 1, socket: dial } as postgres.Options<{}>);
    let other: Promise<unknown> | undefined;
    const transaction = client.begin(async (tx) => {
      await tx`insert into written (by) values ('transaction')`;
      other = client`insert into written (by) values ('another call')`.execute();
      await nextTurn();
      sockets[0]?.emit('drain');
      await tx`select 1`;
      throw new Error('rolled back');
    });
    await expect(transaction).rejects.toThrow('rolled back');
    await other;
    await client.end();
    expect(await written()).toEqual(['another call']);
  });

  it('that has ended refuses a further query, which would run in the next transaction', async () => {
    const client = postgres(url, { max: 1 });
    const first = await client.begin(async (tx) => ({ query: () => tx`insert into written (by) values ('first')` }));
    await client.begin(async (tx) => {
      await tx`insert into written (by) values ('second')`;
      await expect(first.query()).rejects.toMatchObject({ code: 'TRANSACTION_ENDED' });
    });
    await client.end();
    expect(await written()).toEqual(['second']);
  });
});
