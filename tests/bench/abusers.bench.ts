import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { findByteFaults } from '../harness/byte-faults.ts';
import { chosenSeed } from '../harness/random.ts';
import { startAbusers } from './abuse/start-abusers.ts';
import { startEcho, type Echo } from './baseline/start-echo.ts';
import { atShare, report, say } from './median.ts';
import { makeAbusedStage, type AbusedStage } from './soak/abused-stage.ts';
import { abuserEntries, isChosen, nameOf } from './soak/abuser-entries.ts';
import { findGrowth } from './soak/find-growth.ts';
import { echoKinds, runEcho } from './soak/echo-users.ts';
import { noticedNothing, type Noticed } from './soak/noticed.ts';
import { ordinaryKinds, runOrdinary } from './soak/ordinary-users.ts';
import { preferMeasuring } from './soak/prefer-measuring.ts';
import { rest, sampleFor, sayAll, saySlots } from './soak/rest.ts';
import { publicPages, soakMinutes, startSoakCluster, type SoakCluster } from './soak/soak-cluster.ts';
import { takeSample, type Sample } from './soak/take-sample.ts';

const seed = chosenSeed();
const aloneMinutes = Math.min(soakMinutes / 4, 5);
const warmUpMinutes = Math.min(soakMinutes / 4, 5);
/** Minutes from the moment at which all abusers begin at once, whose times are reported apart. */
const beginningMinutes = 1 / 3;
/** A sample takes a fifth of a second of processor time, which users must not notice in one request of a hundred. */
const sampleSeconds = 60;

let soak: SoakCluster;
let stage: AbusedStage;
let echo: Echo;

beforeAll(async () => {
  if (soakMinutes === 0) return;
  preferMeasuring();
  soak = await startSoakCluster(inject('postgresUrl'), publicPages);
  stage = await makeAbusedStage(soak.cluster);
  echo = await startEcho(soak.cluster.nats.url, soak.cluster.databaseUrl);
}, 300_000);
afterAll(async () => {
  if (soakMinutes === 0) return;
  await echo.stop();
  await soak.close();
  await stage.close();
}, 60_000);

const nothing = () => noticedNothing([...ordinaryKinds, ...echoKinds]);

/** Has ordinary users act for so many minutes, and takes samples meanwhile. */
async function ordinary(minutes: number, noticed: Noticed): Promise<Sample[]> {
  const stop = new AbortController();
  const acting = Promise.all([
    runOrdinary(soak.cluster.baseUrls, stage.users, seed, noticed, stop.signal),
    runEcho(echo.baseUrl, noticed, stop.signal),
  ]);
  const samples = await sampleFor(minutes, soak, { seconds: sampleSeconds });
  stop.abort();
  await acting;
  return samples;
}

interface Besides {
  readonly beginnings: Noticed;
  readonly later: Noticed;
}

async function besideAbusers(minutes: number, { beginnings, later }: Besides): Promise<Sample[]> {
  const abusers = await startAbusers(abuserEntries(soak.cluster, stage).filter((entry) => isChosen(nameOf(entry))));
  await ordinary(beginningMinutes, beginnings);
  const samples = await ordinary(minutes - beginningMinutes, later);
  say('abusers', await abusers.stop());
  return samples;
}

function reportTimes(alone: Noticed, { beginnings, later }: Besides): void {
  for (const [kind, times] of later.times) {
    const before = alone.times.get(kind) ?? [];
    const first = beginnings.times.get(kind) ?? [];
    const p99 = atShare(before, 0.99);
    report(
      kind,
      {
        'requests beside': times.length,
        'p50 alone ms': atShare(before, 0.5),
        'p99 alone ms': p99,
        'p50 beside ms': atShare(times, 0.5),
        'p99 beside ms': atShare(times, 0.99),
        ratio: atShare(times, 0.99) / p99,
        'p99 of the beginnings ms': atShare(first, 0.99),
        'ratio of all': atShare([...first, ...times], 0.99) / p99,
      },
      seed,
    );
  }
  say('not served alone', Object.fromEntries(alone.failures));
  say('not served beside abusers', Object.fromEntries([...beginnings.failures, ...later.failures]));
}

it(
  `${soakMinutes} minutes of ordinary users beside all abusers at once`,
  async ({ skip }) => {
    if (soakMinutes === 0) skip('TRUNKLINE_TEST_SOAK_MINUTES is not set');
    process.stdout.write(`TRUNKLINE_TEST_SEED=${seed} TRUNKLINE_TEST_SOAK_MINUTES=${soakMinutes}\n`);
    const alone = nothing();
    const beside = { beginnings: nothing(), later: nothing() };
    const start = await takeSample(soak);
    await ordinary(aloneMinutes, alone);
    await besideAbusers(warmUpMinutes, beside);
    const warm = await rest(soak);
    const samples = await besideAbusers(soakMinutes - aloneMinutes - warmUpMinutes, beside);
    reportTimes(alone, beside);
    const end = await rest(soak);
    sayAll({ start, warm, end, beside: samples }, sampleSeconds);
    saySlots(end, samples);
    expect(await findByteFaults(soak.sql, soak.cluster.storageRoot)).toEqual([]);
    expect(findGrowth(warm, end)).toEqual([]);
  },
  (soakMinutes * 60 + 900) * 1_000,
);
