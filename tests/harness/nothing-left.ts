import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { cluster, sql } from './shared-cluster.ts';

/** Expects that a failed creation has left no row, no name, no unfinished operation and no directory. */
export async function expectNothingLeft(name: string): Promise<void> {
  expect(await sql`select path from names where path = ${name}`).toHaveLength(0);
  expect(await sql`select id from repositories where name = ${name}`).toHaveLength(0);
  const unfinished =
    await sql`select id from operations where request->>'name' = ${name} and state in ('running', 'queued')`;
  expect(unfinished).toHaveLength(0);
  const ids = await sql`select id from operations where request->>'name' = ${name}`;
  const staged = Object.values(cluster.storageRoots).flatMap((root) => readdirSync(join(root, '@staging')));
  expect(staged.filter((entry) => ids.some(({ id }) => entry.startsWith(String(id))))).toEqual([]);
}

/** Expects that a failed creation has left nothing and has never begun an operation. */
export async function expectNeverBegun(name: string): Promise<void> {
  await expectNothingLeft(name);
  expect(await sql`select id from operations where request->>'name' = ${name}`).toHaveLength(0);
}
