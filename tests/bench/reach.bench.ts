import { it } from 'vitest';
import { isShort, loadSeconds, seed } from './bench-form.ts';
import { openReachStage, reachedReads, reachedWrites, withWrites, type Reached } from './calls/reach.ts';
import type { SampleFactory } from './load/bench-request.ts';
import { echoSamples } from './load/compare.ts';
import { allParts, measure, parts, type Measured } from './load/measure.ts';
import { openLoad, type LoadFigures } from './load/open-load.ts';
import { atShare, median, report } from './median.ts';
import type { Stage } from './stage.ts';

const minutes = 60_000;
const counts = [1, 8, 32] as const;
const rounds = isShort ? 1 : 3;
/** A worker that keeps next to nothing. */
const cold = { TRUNKLINE_CACHE_BYTES: '1', TRUNKLINE_NODE_CACHE_BYTES: '1' };

async function echoAtOnce({ echo }: Stage, like: LoadFigures, count: number): Promise<Measured> {
  const load = openLoad([echo.baseUrl], seed, echoSamples('/echo', like), count);
  await load.run(loadSeconds / 2);
  const floor = await measure(load, loadSeconds / 2, echo.pids);
  load.close();
  return floor;
}

async function reach(
  stage: Stage,
  what: string,
  { kallithea, goal }: Reached,
  count: number,
  sample: SampleFactory,
): Promise<void> {
  const load = openLoad([stage.service.baseUrl], seed, sample, count);
  const warm = await load.run(loadSeconds);
  const measured: Measured[] = [];
  for (let round = 0; round < rounds; round += 1) {
    measured.push(await measure(load, loadSeconds, stage.service.pids));
  }
  load.close();
  const floor = await echoAtOnce(stage, warm, count);
  const of = (figureOf: (one: Measured) => number) => median(measured.map(figureOf));
  const rateOf = ({ served, seconds }: Measured) => served / seconds;
  const rate = of(rateOf);
  const share = count === 1 ? 'one' : 'many';
  report(
    `${what}, ${count} connection${count === 1 ? '' : 's'}`,
    {
      'calls/s': rate,
      'Kallithea/s': kallithea[share],
      multiple: rate / kallithea[share],
      goal: goal[share],
      'of the echo': rate / rateOf(floor),
      'CPU ms': of(({ cpuMsPerCall }) => allParts(cpuMsPerCall)),
      ...Object.fromEntries(parts.map((part) => [`${part} ms`, of(({ cpuMsPerCall }) => cpuMsPerCall[part])])),
      'echo CPU ms': allParts(floor.cpuMsPerCall),
      'p99 ms': of(({ times }) => atShare([...times.values()].flat(), 0.99)),
    },
    seed,
  );
}

async function reachAll(stage: Stage, state: string): Promise<void> {
  for (const [name, read] of Object.entries(reachedReads(stage))) {
    for (const count of counts) {
      await reach(stage, `${name}, ${state}`, read, count, read.sample);
      if (state === 'cold') continue;
      const round = `${name.replaceAll(/\W+/g, '-')}-${count}`;
      await reach(stage, `${name}, with writes`, read, count, withWrites(read.sample, stage, round));
    }
  }
  if (state === 'cold') return;
  for (const count of counts) {
    for (const [name, write] of Object.entries(reachedWrites(stage, `made-${count}`))) {
      await reach(stage, name, write, count, write.sample);
    }
  }
}

it.each(['cold', 'warm'] as const)(
  '%s',
  async (state) => {
    const stage = await openReachStage(state === 'cold' ? cold : {});
    try {
      await reachAll(stage, state);
    } finally {
      await stage.close();
    }
  },
  30 * minutes,
);
