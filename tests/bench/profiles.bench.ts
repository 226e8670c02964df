import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import { isShort, seed } from './bench-form.ts';
import { openReachStage, reachedReads, reachedWrites } from './calls/reach.ts';
import { measure, type Measured } from './load/measure.ts';
import { openLoad, type OpenLoad } from './load/open-load.ts';
import { report, say } from './median.ts';
import { readProfile } from './profiles/read-profile.ts';
import type { Stage } from './stage.ts';

const connections = 32;
const seconds = isShort ? 0.5 : 10;
const shownFunctions = 8;
const profiled = ['gateway', 'worker'] as const;

let directory: string;
let stage: Stage;
let profileCount = 0;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trunkline-profiles-'));
  const preload = new URL('profiles/profile-on-signal.mjs', import.meta.url).href;
  const env = { NODE_OPTIONS: `--import ${preload}`, PROFILES_DIRECTORY: directory };
  stage = await openReachStage(env);
}, 300_000);
afterAll(async () => {
  await stage.close();
  await rm(directory, { recursive: true, force: true });
}, 60_000);

/** Measures a load, and profiles gateway and worker meanwhile; returns the paths of the profiles by part. */
async function profile(
  load: OpenLoad,
): Promise<{ measured: Measured; paths: Record<(typeof profiled)[number], string> }> {
  const { pids } = stage.service;
  const signal = () => profiled.forEach((part) => process.kill(pids[part], 'SIGUSR2'));
  signal();
  const measured = await measure(load, seconds, pids);
  signal();
  const pathOf = (part: (typeof profiled)[number]) => join(directory, `${pids[part]}-${profileCount}.cpuprofile`);
  const paths = { gateway: pathOf('gateway'), worker: pathOf('worker') };
  profileCount += 1;
  for (const path of Object.values(paths)) await eventually(async () => existsSync(path), Boolean);
  return { measured, paths };
}

it('where the time of gateway and worker goes', async () => {
  const calls = { ...reachedReads(stage), ...reachedWrites(stage, 'profiled') };
  for (const [name, { sample }] of Object.entries(calls)) {
    const load = openLoad([stage.service.baseUrl], seed, sample, connections);
    await load.run(seconds / 2);
    const { measured, paths } = await profile(load);
    load.close();
    const figures: Record<string, number> = { 'calls/s': measured.served / measured.seconds };
    for (const part of profiled) {
      const { busyMs, sockets, garbage, functions } = await readProfile(paths[part]);
      figures[`${part} ms`] = measured.cpuMsPerCall[part];
      figures[`${part} main thread ms`] = busyMs / measured.served;
      figures[`${part} sockets %`] = sockets;
      figures[`${part} garbage %`] = garbage;
      figures[`${part} longest function %`] = functions[0]?.[1] ?? 0;
      say(`${name}, ${part}, %`, Object.fromEntries(functions.slice(0, shownFunctions)));
    }
    figures['database ms'] = measured.cpuMsPerCall.database;
    report(name, figures, seed);
    expect(measured.refusals).toEqual(new Map());
  }
}, 600_000);
