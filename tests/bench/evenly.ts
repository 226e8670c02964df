import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';

/** Makes calls at an even rate for some seconds, without waiting for the answers to earlier ones. */
export async function evenly(
  seconds: number,
  perSecond: number,
  call: (index: number) => Promise<void>,
): Promise<void> {
  const started = performance.now();
  const pending: Promise<void>[] = [];
  while (pending.length < seconds * perSecond) {
    const due = Math.floor(((performance.now() - started) / 1_000) * perSecond);
    while (pending.length < due) pending.push(call(pending.length));
    await wait(1);
  }
  await Promise.all(pending);
}
