import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { createClient } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { signInFrom } from '../harness/sign-in-from.ts';
import { atShare, median, report } from './median.ts';

const password = 'correct horse battery';
const rounds = 60;
const attempts = 10;
const guessers = 12;

let cluster: Cluster;
let addresses = 0;

/** Returns an address from which nobody has signed in or guessed before. */
const newAddress = () => `127.${20 + Math.floor(addresses / 200)}.0.${1 + (addresses++ % 200)}`;

beforeAll(async () => {
  cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 1, workers: 1 });
  const admin = createClient(cluster.baseUrl, cluster.adminKey);
  for (const username of ['ann', 'bob', 'gone']) {
    await admin.result('create_user', { username, password, email: `${username}@example.com` });
  }
  await admin.result('update_user', { userid: 'gone', active: false });
});
afterAll(() => cluster.kill());

async function timeOf(username: string, given: string, address: string, wanted: number): Promise<number> {
  const began = performance.now();
  expect(await signInFrom(cluster.baseUrl, address, { username, password: given })).toBe(wanted);
  return performance.now() - began;
}

it('a wrong password, by name', async () => {
  const names = { 'of an active user': 'ann', 'of an inactive user': 'gone', 'of nobody': 'nobody' };
  const times = new Map(Object.keys(names).map((name): [string, number[]] => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, username] of Object.entries(names)) {
      // Each attempt has an address of its own, and the next one comes when the name may be tried again without a delay.
      times.get(name)?.push(await timeOf(username, 'wrong', newAddress(), 403));
    }
    await wait(1_000);
  }
  for (const [name, all] of times) {
    report(`a wrong password for the name ${name}`, { 'median ms': median(all), 'p90 ms': atShare(all, 0.9) });
  }
}, 300_000);

it(`signing in beside ${guessers} addresses that guess`, async () => {
  const usual = newAddress();
  await timeOf('ann', password, usual, 302);
  const measure = async (what: string) => {
    const times = { known: [] as number[], fresh: [] as number[], guessed: [] as number[] };
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      times.known.push(await timeOf('ann', password, usual, 302));
      times.fresh.push(await timeOf('bob', password, newAddress(), 302));
      times.guessed.push(await timeOf('ann', password, newAddress(), 302));
    }
    report(`signing in ${what}, ms`, {
      'known address, median': median(times.known),
      'known address, slowest': Math.max(...times.known),
      'new address, median': median(times.fresh),
      'new address, slowest': Math.max(...times.fresh),
      'new address, the guessed name, slowest': Math.max(...times.guessed),
    });
  };
  await measure('alone');
  const over = new AbortController();
  const guess = async (address: string, number: number) => {
    for (let turn = 0; !over.signal.aborted; turn += 1) {
      const username = turn % 2 === 0 ? 'ann' : `nobody-${number}-${turn}`;
      await signInFrom(cluster.baseUrl, address, { username, password: 'wrong' });
    }
  };
  const guessing = Array.from({ length: guessers }, () => newAddress()).flatMap((address, number) =>
    Array.from({ length: 4 }, () => guess(address, number)),
  );
  await wait(2_000);
  await measure(`beside ${guessers} addresses that guess`);
  over.abort();
  await Promise.all(guessing);
}, 600_000);
