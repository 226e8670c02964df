import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import initSqlJs from 'sql.js';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { withSqlite } from './open-sqlite.ts';

let directory: string;
let path: string;
beforeEach(async () => {
  const { Database } = await initSqlJs();
  const database = new Database();
  database.run("create table users (user_id integer, username text); insert into users values (1, 'default')");
  directory = await mkdtemp(join(tmpdir(), 'trunkline-sqlite-'));
  path = join(directory, 'source.db');
  await writeFile(path, database.export());
  database.close();
});
afterEach(() => rm(directory, { recursive: true }));

const count = () => withSqlite(path, (source) => source.count('users'));
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
