import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSecretVault } from '@trunkline/db';
import postgres from 'postgres';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { prepareInstance } from '../../apps/vcs-worker/src/serve/prepare-database.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';

const vault = createSecretVault(randomBytes(32).toString('hex'), []);
const marker = '.trunkline-storage';

let clusters: Cluster[];
let root: string;

beforeAll(async () => {
  const start = () => startCluster({ postgresUrl: inject('postgresUrl'), gateways: 0, workers: 0 });
  clusters = await Promise.all([start(), start()]);
});
afterAll(() => Promise.all(clusters.map((cluster) => cluster.stop())));
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'trunkline-claim-'));
});
afterEach(async () => {
  await rm(root, { recursive: true });
  await Promise.all([0, 1].map(forget));
});

const urlOf = (database: number) => clusters[database]?.databaseUrl ?? '';

async function prepare(database: number): Promise<string> {
  const admin = { username: 'admin', password: null, apiKey: null };
  const claims = { storages: [{ name: 'default', root }], created: [] };
  const [storage] = await prepareInstance(clusters[database]?.database.workerUrl ?? '', { vault, claims, admin });
  if (!storage) throw new Error('no storage was claimed');
  return storage.id;
}

/** Has a database look as after a first start that was interrupted before it knew its storage. */
async function forget(database: number): Promise<void> {
  const sql = postgres(urlOf(database), { max: 1 });
  await sql`delete from storages`;
  await sql.end();
}

const readId = async () => (await readFile(join(root, marker), 'utf8')).trim();

describe('C5 a database without a storage', () => {
  it('claims an empty directory, and knows it again after an interruption', async () => {
    const id = await prepare(0);
    expect(await readId()).toBe(id);
    expect(await readdir(root)).toEqual([marker]);
    await forget(0);
    expect(await prepare(0)).toBe(id);
    expect(await prepare(0)).toBe(id);
  });

  it('refuses the directory of another one, also while it has no repositories', async () => {
    const id = await prepare(0);
    await expect(prepare(1)).rejects.toThrow('is the storage of another database');
    expect(await readId()).toBe(id);
  });

  it('one of two that start at once gets the directory', async () => {
    const outcomes = await Promise.allSettled([prepare(0), prepare(1)]);
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(await readdir(root)).toEqual([marker]);
  });

  it.each(['without a marker', 'with its own marker'])('refuses a directory with repositories, %s', async (which) => {
    if (which === 'with its own marker') {
      await prepare(0);
      await forget(0);
    }
    await mkdir(join(root, '@repos/0a', randomUUID()), { recursive: true });
    const before = await readdir(root);
    await expect(prepare(0)).rejects.toThrow('holds repositories that this database does not know');
    expect(await readdir(root)).toEqual(before);
  });

  it('refuses an empty marker', async () => {
    await writeFile(join(root, marker), '');
    await expect(prepare(0)).rejects.toThrow('is the storage of another database');
  });
});
