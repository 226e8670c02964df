import { afterAll, beforeAll, it } from 'vitest';
import { loadSeconds, seed } from './bench-form.ts';
import { createGrants } from './calls/grants.ts';
import { contentReads, metadataReads, storageReads, wholeReads } from './calls/reads.ts';
import { reportComparison } from './calls/report-comparison.ts';
import { createCreations, createUpdates } from './calls/writes.ts';
import type { Sample, SampleFactory } from './load/bench-request.ts';
import { compare, type Round } from './load/compare.ts';
import { pickFrom } from './load/pick.ts';
import { atShare, report } from './median.ts';
import { openStage, type Stage } from './stage.ts';

let stage: Stage;

beforeAll(async () => {
  process.stdout.write(`TRUNKLINE_TEST_SEED=${seed}\n`);
  stage = await openStage();
}, 300_000);
afterAll(() => stage.close());

interface Group {
  readonly name: string;
  /** Of a hundred samples, how many are from this group. */
  readonly share: number;
  readonly members: readonly SampleFactory[];
}

/** Samples from each group in its share, and from its members alike. */
function mixed(groups: readonly Group[]): SampleFactory {
  return (random, connection) => {
    const byShare = groups.flatMap(({ name, share, members }) => {
      const samples = members.map((create) => create(random, connection));
      const sample: Sample = () => {
        const sampled = pickFrom(samples, random)();
        return { ...sampled, kind: `${name}: ${sampled.kind}` };
      };
      return Array.from({ length: share }, () => sample);
    });
    return () => pickFrom(byShare, random)();
  };
}

function kindsOf(measured: readonly Round[]): string[] {
  return [...new Set(measured.flatMap(({ ours }) => [...ours.times.keys()]))].toSorted();
}

/** Reports the times of all rounds together, since a round has few requests of the rare kinds. */
function reportKind(kind: string, measured: readonly Round[]): void {
  const times = measured.flatMap(({ ours }) => ours.times.get(kind) ?? []);
  report(kind, { calls: times.length, 'p50 ms': atShare(times, 0.5), 'p99 ms': atShare(times, 0.99) }, seed);
}

it(
  '90 % reads, 5 % writes, 5 % bytes',
  async () => {
    const reads = [metadataReads(stage), wholeReads(stage), storageReads(stage)].flatMap(Object.values<SampleFactory>);
    const writes = [createGrants(stage).createSample, createUpdates(stage), createCreations(stage, 'git', 'mixed')];
    const load = mixed([
      { name: 'read', share: 90, members: reads },
      { name: 'write', share: 5, members: writes },
      { name: 'bytes', share: 5, members: Object.values(contentReads(stage)) },
    ]);
    const comparison = await compare(stage, load, 3 * loadSeconds);
    reportComparison('all', comparison);
    for (const kind of kindsOf(comparison.rounds)) reportKind(kind, comparison.rounds);
  },
  10 * 60_000,
);
