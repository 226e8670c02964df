import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createDatabase } from '@trunkline/local';
import postgres from 'postgres';
import { afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { uniqueAscii } from '../harness/unique-name.ts';

let url: string;
let client: postgres.Sql;

beforeAll(async () => {
  url = await createDatabase(inject('postgresUrl'), uniqueAscii('copies'));
  const setup = postgres(url, { max: 1 });
  await setup`create table copied (n int primary key, text text)`;
  await setup.end();
});
beforeEach(() => {
  client = postgres(url, { max: 1, onnotice: () => {} });
});
afterEach(() => client.end({ timeout: 1 }));

/** Statements whose rows end below the limit of a stream's buffer, at it, above it, and above a piece of the connection. */
const rowCounts = [0, 1, 40, 400, 4_000, 40_000];
const copyOf = (rows: number) => `copy (select n, repeat('x', 400) from generate_series(1, ${rows}) n) to stdout`;

async function read(tx: postgres.ISql, rows: number, isSlow: boolean): Promise<number> {
  let bytes = 0;
  for await (const piece of (await tx.unsafe(copyOf(rows)).readable()) as AsyncIterable<Buffer>) {
    bytes += piece.length;
    // As when a disk is slow: the connection has all that is left of a table meanwhile.
    if (isSlow && bytes === piece.length) await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return bytes;
}

describe('rows that are copied out', () => {
  it.each([false, true])(
    'end, and the next statement is answered, whatever their size (read slowly: %s)',
    async (isSlow) => {
      for (const rows of rowCounts) {
        const ended = client.begin(async (tx) => {
          const bytes = await read(tx, rows, isSlow);
          return [bytes > rows * 400 || rows === 0, await tx.unsafe('select 1 as one')];
        });
        expect([rows, await ended]).toEqual([rows, [true, [{ one: 1 }]]]);
      }
    },
  );

  it.each(rowCounts)('of %i rows leave the connection usable when their reader gives up', async (rows) => {
    const failed = client.begin(async (tx) => {
      for await (const _piece of (await tx.unsafe(copyOf(Math.max(1, rows))).readable()) as AsyncIterable<Buffer>) {
        throw new Error('the disk is full');
      }
    });
    await expect(failed).rejects.toThrow('the disk is full');
    expect(await client`select 1 as one`).toEqual([{ one: 1 }]);
  });
});

it('rows that are copied out fail when their connection is lost', async () => {
  const other = postgres(url, { max: 1 });
  const lost = client.begin(async (tx) => {
    for await (const _piece of (await tx.unsafe(copyOf(400_000)).readable()) as AsyncIterable<Buffer>) {
      await other`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and query like 'copy %'`;
    }
  });
  await expect(lost).rejects.toThrow(/terminating|CONNECTION/);
  expect(await client`select 1 as one`).toEqual([{ one: 1 }]);
  await other.end();
});

describe('rows that are copied in', () => {
  const copyIn = (tx: postgres.ISql, lines: Iterable<string>) =>
    tx
      .unsafe('copy copied from stdin')
      .writable()
      .then((writable) => pipeline(Readable.from(lines), writable));

  it('arrive', async () => {
    await copyIn(
      client,
      Array.from({ length: 5_000 }, (_, n) => `${n}\t${'x'.repeat(100)}\n`),
    );
    expect(await client`select count(*)::int as count from copied`).toEqual([{ count: 5_000 }]);
  });

  it.each([
    ['at once', ['no number\tx\n']],
    [
      'in the middle',
      Array.from({ length: 20_000 }, (_, n) => (n === 3_000 ? 'no number\tx\n' : `${n + 10_000}\tx\n`)),
    ],
  ])('fail when Postgres refuses one %s, and leave the connection usable', async (_when, lines) => {
    await expect(client.begin((tx) => copyIn(tx, lines))).rejects.toThrow('invalid input syntax');
    expect(await client`select 1 as one`).toEqual([{ one: 1 }]);
  });
});
