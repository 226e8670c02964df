import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, inject, it } from 'vitest';
import { chosenSeed } from '../harness/random.ts';
import { startAbusers } from './abuse/start-abusers.ts';
import { atShare, report, say } from './median.ts';
import { makeAbusedStage, type AbusedStage } from './soak/abused-stage.ts';
import { abuserEntries, groupByAbuse, isChosen } from './soak/abuser-entries.ts';
import { noticedNothing, runOrdinary, type Noticed } from './soak/ordinary-users.ts';
import { publicPages, startSoakCluster, type SoakCluster } from './soak/soak-cluster.ts';

const seed = chosenSeed();
/** Seconds beside each abuser. */
const seconds = Number(process.env['TRUNKLINE_TEST_ABUSER_SECONDS'] ?? 0);
/** Time that abusers have had when ordinary users begin. */
const settleMs = 5_000;
const restMs = 5_000;

let soak: SoakCluster;
let stage: AbusedStage;

beforeAll(async () => {
  if (seconds === 0) return;
  soak = await startSoakCluster(inject('postgresUrl'), publicPages);
  stage = await makeAbusedStage(soak.cluster);
}, 300_000);
afterAll(async () => {
  if (seconds === 0) return;
  await soak.close();
  await stage.close();
}, 60_000);

async function ordinary(): Promise<Noticed> {
  const noticed = noticedNothing();
  const stop = new AbortController();
  const acting = runOrdinary(soak.cluster.baseUrls, stage.users, seed, noticed, stop.signal);
  await wait(seconds * 1_000);
  stop.abort();
  await acting;
  return noticed;
}

it('ordinary users beside each abuser by itself', async ({ skip }) => {
  if (seconds === 0) skip('TRUNKLINE_TEST_ABUSER_SECONDS is not set');
  await ordinary();
  const alone = await ordinary();
  const all = abuserEntries(soak.cluster, stage);
  for (const [name, entries] of groupByAbuse(all).set('all at once', all)) {
    if (!isChosen(name)) continue;
    const abusers = await startAbusers(entries);
    await wait(settleMs);
    const beside = await ordinary();
    say('abusers', await abusers.stop());
    const figures = Object.entries(beside.times).flatMap(([kind, times]) => {
      const before = alone.times[kind as keyof Noticed['times']];
      const [p50, p99] = [atShare(times, 0.5), atShare(times, 0.99)];
      return [
        [`${kind} p50`, p50 / atShare(before, 0.5)],
        [`${kind} p99`, p99 / atShare(before, 0.99)],
        [`${kind} p99 ms`, p99],
      ];
    });
    report(`beside ${name}`, Object.fromEntries(figures), seed);
    say('not served', Object.fromEntries(beside.failures));
    await wait(restMs);
  }
}, 3_600_000);
