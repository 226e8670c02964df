import { BusyError } from '@trunkline/contracts';
import { expect, it, vi } from 'vitest';
import type { ServedStorage } from '../storage/storages.ts';
import type { Incoming } from './arrival-actions.ts';
import type { Arrivals } from './arrivals.ts';
import type { CopyCall } from './copies.ts';
import { copyHere } from './copy-here.ts';

const served = {} as ServedStorage;
const target = { storage: 'second', operationId: 'operation', attempt: 1, storagePath: 'path' };

/** Arrivals that are busy for some requests, and then run `work`. */
function arrivalsFor(work: (incoming: Incoming) => Promise<object | null>, busy = 0) {
  const release = vi.fn();
  const admit = vi.fn<Arrivals['admit']>(async () => {
    if (admit.mock.calls.length <= busy) throw new BusyError();
    return { run: work, release };
  });
  return { admit, release };
}

/** A body without end, which says when it is closed. */
function endlessBody() {
  const closed = vi.fn();
  async function* body() {
    try {
      for (;;) yield Buffer.from('piece');
    } finally {
      closed();
    }
  }
  return { body, closed };
}

const callWith = (more: Partial<CopyCall>): CopyCall => ({
  target,
  action: { kind: 'send', whole: true, linkSources: [] },
  signal: new AbortController().signal,
  totalMs: 60_000,
  ...more,
});

it('asks again while too much arrives, then returns the result and gives the permit back', async () => {
  const arrivals = arrivalsFor(async ({ reader }) => ({ text: (await reader.take(10)).toString() }), 1);
  const { body, closed } = endlessBody();
  expect(await copyHere(arrivals, served, callWith({ body }))).toEqual({ text: 'piecepiece' });
  expect(arrivals.admit).toHaveBeenCalledTimes(2);
  expect(arrivals.admit.mock.calls[1]?.[1]).toMatchObject({ ...target, action: { kind: 'send', whole: true } });
  expect(arrivals.release).toHaveBeenCalledTimes(1);
  expect(closed).toHaveBeenCalledTimes(1);
});

it('closes what is sent and gives the permit back when the work fails', async () => {
  const failure = new Error('full');
  const arrivals = arrivalsFor(async ({ reader }) => {
    await reader.take(1);
    throw failure;
  });
  const { body, closed } = endlessBody();
  await expect(copyHere(arrivals, served, callWith({ body }))).rejects.toBe(failure);
  expect(arrivals.release).toHaveBeenCalledTimes(1);
  expect(closed).toHaveBeenCalledTimes(1);
});

it('ends within a file when it is aborted', async () => {
  const cancelling = new AbortController();
  const reason = new Error('cancelled');
  const arrivals = arrivalsFor(async ({ reader }) => {
    await reader.take(1);
    cancelling.abort(reason);
    for (;;) await reader.take(100);
  });
  const { body, closed } = endlessBody();
  await expect(copyHere(arrivals, served, callWith({ body, signal: cancelling.signal }))).rejects.toBe(reason);
  expect(arrivals.release).toHaveBeenCalledTimes(1);
  expect(closed).toHaveBeenCalledTimes(1);
});
