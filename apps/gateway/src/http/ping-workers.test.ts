import { BusError } from '@trunkline/runtime';
import { expect, it } from 'vitest';
import { workerCounter } from './ping-workers.ts';

const answering = (answer: (onReply: (payload: Uint8Array) => void) => void) =>
  workerCounter({
    async requestAll(subject, _payload, _windowMs, onReply) {
      expect(subject).toBe('trunkline.ping.storage.fast');
      answer(onReply);
    },
  })('fast');

it('counts each worker once', async () => {
  const ids = ['"a"', '"b"', '"a"'];
  expect(await answering((onReply) => ids.forEach((id) => onReply(Buffer.from(id))))).toBe(2);
});

it.each([
  ['no-responders', 0],
  ['not-connected', null],
] as const)('returns for a bus error %s: %s', async (reason, count) => {
  const failing = answering(() => {
    throw new BusError(reason);
  });
  expect(await failing).toBe(count);
});
