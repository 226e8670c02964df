import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, inject, it } from 'vitest';
import { chosenSeed } from '../harness/random.ts';
import { startAbusers } from './abuse/start-abusers.ts';
import { startEcho, type Echo } from './baseline/start-echo.ts';
import { report, say } from './median.ts';
import { makeAbusedStage, type AbusedStage } from './soak/abused-stage.ts';
import { abuserEntries, groupByAbuse, isChosen } from './soak/abuser-entries.ts';
import { echoKinds, runEcho } from './soak/echo-users.ts';
import { addFurtherUsers, furtherKinds, type FurtherUsers } from './soak/further-users.ts';
import { figuresAt, noticedNothing, ratiosAt, type Noticed } from './soak/noticed.ts';
import { ordinaryKinds, runOrdinary } from './soak/ordinary-users.ts';
import { preferMeasuring } from './soak/prefer-measuring.ts';
import { publicPages, startSoakCluster, type SoakCluster } from './soak/soak-cluster.ts';

const seed = chosenSeed();
/** Seconds beside each abuser. */
const seconds = Number(process.env['TRUNKLINE_TEST_ABUSER_SECONDS'] ?? 0);
/** Time that abusers have had when the users begin. */
const settleMs = 4_000;
const restMs = 3_000;

let soak: SoakCluster;
let stage: AbusedStage;
let further: FurtherUsers;
let echo: Echo;

beforeAll(async () => {
  if (seconds === 0) return;
  preferMeasuring();
  soak = await startSoakCluster(inject('postgresUrl'), publicPages);
  stage = await makeAbusedStage(soak.cluster);
  further = await addFurtherUsers(soak.cluster, stage);
  echo = await startEcho(soak.cluster.nats.url, soak.cluster.databaseUrl);
}, 300_000);
afterAll(async () => {
  if (seconds === 0) return;
  await echo.stop();
  await soak.close();
  await stage.close();
  await further.close();
}, 60_000);

/** Has all users send their requests for some seconds. */
async function act(noticed: Noticed, forSeconds: number): Promise<Noticed> {
  const stop = new AbortController();
  const acting = [
    runOrdinary(soak.cluster.baseUrls, stage.users, seed, noticed, stop.signal),
    further.run(noticed, stop.signal),
    runEcho(echo.baseUrl, noticed, stop.signal),
  ];
  await wait(forSeconds * 1_000);
  stop.abort();
  await Promise.all(acting);
  return noticed;
}

const nothing = () => noticedNothing([...ordinaryKinds, ...furtherKinds, ...echoKinds]);
const notServed = ({ failures }: Noticed) => [...failures.values()].reduce((sum, count) => sum + count, 0);

function reportTimes(who: string, noticed: Noticed): void {
  const times = figuresAt(noticed, 0.99, (kind) => `${kind} p99 ms`);
  report(who, { ...times, 'not served': notServed(noticed) }, seed);
  say('not served', Object.fromEntries(noticed.failures));
}

function reportRatios(who: string, alone: Noticed, beside: Noticed): void {
  report(
    who,
    ratiosAt(alone, beside, 0.99, (kind) => `${kind} p99 / alone`),
    seed,
  );
  report(
    who,
    ratiosAt(alone, beside, 0.5, (kind) => `${kind} p50 / alone`),
    seed,
  );
}

it('ordinary users beside each abuser by itself', async ({ skip }) => {
  if (seconds === 0) skip('TRUNKLINE_TEST_ABUSER_SECONDS is not set');
  await act(nothing(), seconds / 2);
  // Twice as long, since all others are compared with it.
  const alone = await act(nothing(), seconds * 2);
  reportTimes('alone', alone);
  const all = abuserEntries(soak.cluster, stage);
  for (const [name, entries] of groupByAbuse(all).set('all at once', all)) {
    if (!isChosen(name)) continue;
    const abusers = await startAbusers(entries);
    await wait(settleMs);
    const beside = await act(nothing(), seconds);
    say('abusers', await abusers.stop());
    reportTimes(name, beside);
    reportRatios(name, alone, beside);
    await wait(restMs);
  }
}, 3_600_000);
