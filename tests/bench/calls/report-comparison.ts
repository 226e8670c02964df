import { seed } from '../bench-form.ts';
import { atShare, report } from '../median.ts';
import { spreadOf, type Spread } from '../page/figures.ts';
import type { Comparison, Round } from '../load/compare.ts';
import { allParts, parts, type Measured } from '../load/measure.ts';

/** Returns the time within which this share of a load's requests was answered. */
const timeAt = ({ times }: Measured, share: number) => atShare([...times.values()].flat(), share);

/** Returns how many requests the service refused. */
export function refusedOf({ refusals }: Comparison): number {
  return refusals.reduce((sum, [, times]) => sum + times, 0);
}

/** Reports CPU time against the floors, and the rate and times at it; prints why requests were refused. */
export function reportComparison(what: string, comparison: Comparison): void {
  const { rounds, refusals } = comparison;
  const medianOf = (figureOf: (round: Round) => number): number => spreadOf(rounds.map(figureOf)).median;
  const spread = (figureOf: (round: Round) => number): Spread => spreadOf(rounds.map(figureOf));
  const ofParts = parts.map((part) => [`${part} ms`, medianOf(({ ours }) => ours.cpuMsPerCall[part])] as const);
  report(
    what,
    {
      ...Object.fromEntries(ofParts),
      'all ms': spread(({ ours }) => allParts(ours.cpuMsPerCall)),
      'echo ms': medianOf(({ echo }) => allParts(echo.cpuMsPerCall)),
      'HTTP ms': medianOf(({ http }) => allParts(http.cpuMsPerCall)),
      'all / echo': spread(({ ours, echo }) => allParts(ours.cpuMsPerCall) / allParts(echo.cpuMsPerCall)),
    },
    seed,
  );
  const rate = ({ served, seconds }: Measured) => served / seconds;
  report(
    what,
    {
      'calls/s': spread(({ ours }) => rate(ours)),
      'echo/s': medianOf(({ echo }) => rate(echo)),
      'HTTP/s': medianOf(({ http }) => rate(http)),
      'p50 ms': medianOf(({ ours }) => timeAt(ours, 0.5)),
      'p99 ms': spread(({ ours }) => timeAt(ours, 0.99)),
      'echo p99 ms': medianOf(({ echo }) => timeAt(echo, 0.99)),
      'answer KB': medianOf(({ ours }) => ours.bytes / ours.served / 1_000),
      refused: refusedOf(comparison),
    },
    seed,
  );
  for (const [text, times] of refusals) process.stdout.write(`  ${times} refused: ${text}\n`);
}
