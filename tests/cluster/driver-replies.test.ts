import { createDatabase } from '@trunkline/local';
import postgres from 'postgres';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { uniqueAscii } from '../harness/unique-name.ts';

let url: string;
/** One connection, so that its queries are pipelined. */
let client: postgres.Sql;
let observer: postgres.Sql;

beforeAll(async () => {
  url = await createDatabase(inject('postgresUrl'), uniqueAscii('driver'));
  observer = postgres(url, { max: 1, onnotice: () => {} });
});
afterAll(() => observer.end());
beforeEach(() => {
  client = postgres(url, { max: 1 });
});
afterEach(() => client.end({ timeout: 1 }));

const prepared = (query: string, args: postgres.ParameterOrJSON<never>[]) =>
  client.unsafe(query, args, { prepare: true }).execute();
const number = (value: unknown) => prepared('select $1::int as value', [value as number]);
/** Sends a query; queries that are sent in the same turn wait in the pipeline behind it. */
const first = () => client.unsafe('select 1').execute();

describe('pipelined queries', () => {
  it('get their own replies when one of them cannot be sent', async () => {
    await number(0);
    const outcomes = await Promise.allSettled([number(1), number(undefined), number(2), number(3)]);
    expect(outcomes).toMatchObject([
      { value: [{ value: 1 }] },
      { reason: { code: 'UNDEFINED_VALUE' } },
      { value: [{ value: 2 }] },
      { value: [{ value: 3 }] },
    ]);
    expect(await number(4)).toEqual([{ value: 4 }]);
  });

  it('get no rows of an earlier query that failed after its first rows', async () => {
    const failing = client.unsafe('select 1 / (3 - n) from generate_series(1, 5) n').execute();
    const next = client.unsafe('select n from generate_series(1, 2) n').execute();
    await expect(failing).rejects.toMatchObject({ code: '22012' });
    const rows = await next;
    expect(rows).toHaveLength(2);
    expect(rows[0]).toEqual({ n: 1 });
  });
});

describe('statements that were prepared before the schema changed', () => {
  const find = (id: number, mac: Buffer) =>
    prepared('select id, $1::int as asked, value from changing where mac = $2', [id, mac]);

  beforeEach(async () => {
    await observer.unsafe(`
      drop table if exists changing;
      create table changing (id int, mac bytea, value int, change int default 0);
      insert into changing select n, decode('0' || n, 'hex'), n from generate_series(1, 5) n`);
    await find(1, Buffer.from([1]));
    await find(1, Buffer.from([1]));
  });

  it('are prepared anew, and each query gets its own row', async () => {
    await observer`alter table changing alter value type bigint`;
    const ids = [1, 2, 3, 4, 5];
    const rows = await Promise.all([first(), ...ids.map((id) => find(id, Buffer.from([id])))]);
    expect(rows.slice(1)).toEqual(ids.map((id) => [{ id, asked: id, value: String(id) }]));
    expect(await find(3, Buffer.from([3]))).toEqual([{ id: 3, asked: 3, value: '3' }]);
  });

  it('are prepared anew on every connection of a pool', async () => {
    const pool = postgres(url, { max: 3 });
    const ids = Array.from({ length: 60 }, (_, index) => 1 + (index % 5));
    const findAll = () =>
      Promise.all(
        ids.map((id) =>
          pool.unsafe('select value from changing where mac = $1', [Buffer.from([id])], { prepare: true }).execute(),
        ),
      );
    await findAll();
    await observer`alter table changing alter value type bigint`;
    expect(await findAll()).toEqual(ids.map((id) => [{ value: String(id) }]));
    await pool.end();
  });

  it('are not prepared anew between the messages of another query', async () => {
    await observer`alter table changing alter value type bigint`;
    const unprepared = () => client.unsafe('select $1::text as value', ['another']).execute();
    const rows = await Promise.all([first(), find(1, Buffer.from([1])), find(2, Buffer.from([2])), unprepared()]);
    expect(rows.slice(1)).toEqual([
      [{ id: 1, asked: 1, value: '1' }],
      [{ id: 2, asked: 2, value: '2' }],
      [{ value: 'another' }],
    ]);
  });

  it('are not sent again within a transaction that begins after them in the pipeline', async () => {
    const change = () => prepared('update changing set change = change + $1 where id = 1 returning value', [1]);
    await change();
    await change();
    await observer`alter table changing alter value type bigint`;
    const running = first();
    const changed = change();
    const transaction = client.begin(() => Promise.reject(new Error('rolled back')));
    await expect(transaction).rejects.toThrow('rolled back');
    await running;
    expect(await changed).toEqual([{ value: '1' }]);
    expect(await observer`select change from changing where id = 1`).toEqual([{ change: 3 }]);
  });

  it('fail a transaction with the error of the change, and not the next transaction', async () => {
    await observer`alter table changing alter value type bigint`;
    const inTransaction = () =>
      client.begin((tx) =>
        tx.unsafe('select id, $1::int as asked, value from changing where mac = $2', [1, Buffer.from([1])], {
          prepare: true,
        }),
      );
    await expect(inTransaction()).rejects.toMatchObject({ code: '0A000', routine: 'RevalidateCachedQuery' });
    expect(await inTransaction()).toEqual([{ id: 1, asked: 1, value: '1' }]);
  });
});
