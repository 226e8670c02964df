import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { collectSeldom } from './start-app.ts';

/** V8 takes small steps with the first one as after a rest, and collects the young generation often with the second. */
const flags = ['--optimize-for-size', '--max-semi-space-size=1', '--expose-gc'];

/** Returns how often a process collects all garbage while 64 MB of what has become old pass through it. */
async function collections(isSeldom: boolean): Promise<number> {
  const script = `
    import { PerformanceObserver, constants } from 'node:perf_hooks';
    import { setTimeout as wait } from 'node:timers/promises';
    gc();
    let count = 0;
    const observer = new PerformanceObserver((list) => {
      for (const { detail } of list.getEntries()) if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) count += 1;
    });
    observer.observe({ entryTypes: ['gc'] });
    const recent = [];
    for (let turn = 0; turn < 400; turn += 1) {
      recent[turn % 60] = new Array(20_000).fill(0.5);
      await wait(5);
    }
    await wait(100);
    process.stdout.write(String(count));
  `;
  const words = [...flags, ...(isSeldom ? [collectSeldom] : []), '--input-type=module', '--eval', script];
  const { stdout } = await promisify(execFile)(process.execPath, words);
  return Number(stdout);
}

it('has all garbage collected less often than V8 does after a rest', async () => {
  const [usual, seldom] = await Promise.all([collections(false), collections(true)]);
  expect(usual).toBeGreaterThan(2 * seldom);
}, 60_000);
