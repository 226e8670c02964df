import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import initSqlJs from 'sql.js';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { limitReads } from './read-source.ts';
import { withSqlite } from './open-sqlite.ts';
import { readTable } from './read-table.ts';

const table = "create table users (user_id integer, username text); insert into users values (1, 'default');";

let directory: string;
let path: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trunkline-sqlite-'));
  path = join(directory, 'source.db');
  await writeDatabase(table);
});
afterEach(() => rm(directory, { recursive: true }));

async function writeDatabase(statements: string): Promise<void> {
  const { Database } = await initSqlJs();
  const database = new Database();
  database.run(statements);
  await writeFile(path, database.export());
  database.close();
}

const count = () => withSqlite(path, async (source) => (await source.size('users', [])).rows);

/** Reads the table as an import does. */
const read = (timeoutMs = 5_000) =>
  withSqlite(path, (source) => readTable(limitReads(source, limits), 'users', ['user_id', 'username']), timeoutMs);
const limits = { rows: 100, bytes: 1_000 };
const begun = Buffer.concat([Buffer.from('d9d505f920a163d7', 'hex'), Buffer.alloc(504)]);

it('waits for the end of a transaction that is being written, and passes over what is left of one that has ended', async () => {
  await writeFile(`${path}-journal`, Buffer.alloc(512));
  expect(await count()).toBe(1);
  await begin();
  const counted = count();
  await writeFile(`${path}-journal`, Buffer.alloc(512));
  expect(await counted).toBe(1);
});

const begin = () => writeFile(`${path}-journal`, begun);

it.each([
  ['an unfinished transaction', begin, 'is always written to'],
  ['changes in a log', () => writeFile(`${path}-wal`, 'x'), 'has changes in'],
  ['another content', () => writeFile(path, 'no database'), 'is no SQLite database'],
  ['a directory in its stead', async () => void (path = directory), 'is no file'],
])('refuses a database with %s', async (_what, change, text) => {
  await change();
  await expect(count()).rejects.toThrow(text);
});

const numbers = 'with recursive numbers (n) as (select 1 union all select n + 1 from numbers)';

it.each([
  [
    'an endless view',
    `create view users as ${numbers} select n as user_id, 'x' as username from numbers`,
    'is no table',
  ],
  ['a virtual table', 'create virtual table users using fts3(user_id, username)', 'is no table'],
  [
    'a computed column',
    "create table users (user_id integer, username text as (printf('%.*c', 900000000, 'x')))",
    'column `username` of the table `users` is computed',
  ],
  ['too many rows', `${table} insert into users ${numbers} select n, 'x' from numbers limit 100`, '100 rows'],
  ['too many bytes', `${table} insert into users values (2, zeroblob(1000))`, '1000 bytes'],
])('refuses %s in the stead of a table of users, and names it', async (_what, statements, text) => {
  await writeDatabase(statements);
  await expect(read()).rejects.toThrow(/`users`/);
  await expect(read()).rejects.toThrow(text);
});

/** Makes a table of pages of which each refers 81 times to the next one: it has 81 ** 15 rows, in a few kilobytes. */
async function writeEndlessTable(): Promise<void> {
  await writeDatabase(`pragma page_size = 512; ${table}`);
  const written = await readFile(path);
  const [schema, leaf] = [written.subarray(0, 512), written.subarray(512, 1_024)];
  const [depth, references] = [15, 80];
  const pages = Array.from({ length: depth }, (_, level) => {
    const page = Buffer.alloc(512);
    const next = level + 3;
    page.writeUInt8(5, 0);
    page.writeUInt16BE(references, 3);
    page.writeUInt16BE(507, 5);
    page.writeUInt32BE(next, 8);
    for (let index = 0; index < references; index += 1) page.writeUInt16BE(507, 12 + 2 * index);
    page.writeUInt32BE(next, 507);
    page.writeUInt8(1, 511);
    return page;
  });
  const bytes = Buffer.concat([schema, ...pages, leaf]);
  bytes.writeUInt32BE(bytes.length / 512, 28);
  await writeFile(path, bytes);
}

it('ends the reading of a table of which the pages have no end', async () => {
  await writeEndlessTable();
  await expect(read(300)).rejects.toThrow(/table `users` .* cannot be read: it takes more than 0.3 s/);
});

it('runs no trigger of a table that it reads', async () => {
  await writeDatabase(`${table} create trigger more after insert on users begin delete from users; end`);
  expect((await read()).map((row) => [row.id('user_id'), row.text('username')])).toEqual([[1, 'default']]);
});

it.each([
  ['of which the end is missing', (bytes: Buffer) => bytes.subarray(0, 4096), 'malformed'],
  ['whose table lies nowhere', (bytes: Buffer) => bytes.fill(0xff, 4096), 'malformed'],
  ['whose schema is noise', (bytes: Buffer) => bytes.fill(0x41, 108, 4096), 'malformed'],
])('names the table of a file %s', async (_what, damage, text) => {
  await writeFile(path, damage(await readFile(path)));
  await expect(read()).rejects.toThrow(/`users` .*cannot be read/);
  await expect(read()).rejects.toThrow(text);
});
