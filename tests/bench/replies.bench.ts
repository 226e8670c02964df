import { it } from 'vitest';
import { isShort, loadSeconds, seed } from './bench-form.ts';
import { storageReads } from './calls/reads.ts';
import { addLarge, createWholeListings } from './calls/whole-listings.ts';
import { apiRequest, type SampleFactory } from './load/bench-request.ts';
import { allParts, measure } from './load/measure.ts';
import { openLoad } from './load/open-load.ts';
import { pickFrom } from './load/pick.ts';
import { report } from './median.ts';
import { spreadOf } from './page/figures.ts';
import { openStage, type Stage } from './stage.ts';
import { mainBranch } from '../harness/unique-name.ts';

const minutes = 60_000;
const rounds = isShort ? 1 : 3;
const writeShare = 0.05;
/** A worker that keeps next to nothing. */
const cold = { TRUNKLINE_CACHE_BYTES: '1', TRUNKLINE_NODE_CACHE_BYTES: '1' };

interface Subject {
  readonly reads: SampleFactory;
  /** The repositories that are read. */
  readonly names: readonly string[];
}

function subjectsOf(stage: Stage): Readonly<Record<string, Subject>> {
  const names = stage.content.map(({ name }) => name);
  const whole = (type: 'hg' | 'git', revision: string): Subject => {
    return { names: [`large-${type}`], reads: createWholeListings(stage, type, revision) };
  };
  return {
    'get_repo_nodes, 5,050 of git, by branch': whole('git', mainBranch),
    'get_repo_nodes, 5,050 of hg, by branch': whole('hg', 'default'),
    ...Object.fromEntries(Object.entries(storageReads(stage)).map(([what, reads]) => [what, { reads, names }])),
  };
}

/** Samples writes that give one of the repositories a new generation, in their share. */
function withWrites({ reads, names }: Subject, { admins }: Stage): SampleFactory {
  return (random, connection) => {
    const read = reads(random, connection);
    return () => {
      if (random.below(1_000) >= writeShare * 1_000) return read();
      const args = { repoid: pickFrom(names, random) };
      return apiRequest('invalidate_cache', pickFrom(admins, random).key, 'invalidate_cache', args);
    };
  };
}

async function measureSubject(what: string, { service }: Stage, sample: SampleFactory): Promise<void> {
  const load = openLoad([service.baseUrl], seed, sample);
  await load.run(loadSeconds);
  const measured = [];
  for (let round = 0; round < rounds; round += 1) measured.push(await measure(load, loadSeconds, service.pids));
  load.close();
  report(
    what,
    {
      'all ms': spreadOf(measured.map(({ cpuMsPerCall }) => allParts(cpuMsPerCall))),
      'worker ms': spreadOf(measured.map(({ cpuMsPerCall }) => cpuMsPerCall.worker)),
      'calls/s': spreadOf(measured.map(({ served, seconds }) => served / seconds)),
    },
    seed,
  );
}

it.each(['cold', 'warm'] as const)(
  '%s',
  async (state) => {
    const stage = await openStage(state === 'cold' ? cold : {});
    try {
      await addLarge(stage);
      for (const [what, subject] of Object.entries(subjectsOf(stage))) {
        await measureSubject(`${what}, ${state}`, stage, subject.reads);
        if (state === 'cold') continue;
        await measureSubject(`${what}, with 5 % writes`, stage, withWrites(subject, stage));
      }
    } finally {
      await stage.close();
    }
  },
  10 * minutes,
);
