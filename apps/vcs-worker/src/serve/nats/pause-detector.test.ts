import { describe, expect, it } from 'vitest';
import { detectPauses } from './pause-detector.ts';

function watch() {
  const clock = { ms: 0 };
  const { pausedLately: lately } = detectPauses(() => clock.ms);
  /** Advances the clock while the detector looks at it; `standStill` advances the clock without that. */
  const run = (ms: number) => {
    for (const until = clock.ms + ms; clock.ms < until; clock.ms += 100) lately();
  };
  const standStill = (ms: number) => (clock.ms += ms);
  return { lately, run, standStill };
}

describe('detectPauses', () => {
  it('reports no pause of a running process', () => {
    const { lately, run } = watch();
    expect(lately()).toBe(false);
    run(60_000);
    expect(lately()).toBe(false);
  });

  it('reports a pause at once when the process wakes up, and for a while after', () => {
    const { lately, run, standStill } = watch();
    run(500);
    standStill(1_500);
    expect(lately()).toBe(true);
    run(9_000);
    expect(lately()).toBe(true);
    run(2_000);
    expect(lately()).toBe(false);
  });
});
