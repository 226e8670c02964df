import { decodeReadIds, encodeReadIds } from '@trunkline/contracts';
import { BusError } from '@trunkline/runtime';
import { expect, it, vi } from 'vitest';
import { watchReads } from './read-liveness.ts';

const id = '5c9f8a52-7a52-4d6f-9a0a-0b1b2d3f4a5c';
const other = '0b0c3a3e-7b3f-4f0e-9c51-0c8f6e1f2a3b';

type Round = readonly string[] | BusError;

/** Creates a watch whose workers name these reads, round by round; `asked` has what they were asked. */
function setUp(...rounds: Round[]) {
  const asked: (readonly string[])[] = [];
  let time = 0;
  const clock = {
    now: () => time,
    async sleep(ms: number) {
      await Promise.resolve();
      time += ms;
    },
  };
  let end = () => {};
  const ended = new Promise<void>((resolve) => (end = resolve));
  const bus = {
    async requestAll(_subject: string, payload: Uint8Array, windowMs: number, onReply: (payload: Uint8Array) => void) {
      asked.push(decodeReadIds(payload));
      time += windowMs;
      const round = rounds[asked.length - 1];
      if (round === undefined) {
        end();
        return new Promise<void>(() => {});
      }
      if (round instanceof BusError) throw round;
      for (const one of round) onReply(encodeReadIds([one]));
      onReply(encodeReadIds([]));
    },
  };
  const warn = vi.fn();
  return { asked, warn, ended, watch: watchReads({ bus, clock, logger: { warn } }) };
}

it('a read that no worker names twice in a row is lost, and one that a worker names is not', async () => {
  const { asked, warn, ended, watch } = setUp([other], [other]);
  const lost = vi.fn();
  const otherLost = vi.fn();
  watch(id, lost);
  watch(other, otherLost);
  await ended;
  expect(asked).toEqual([[id, other], [id, other], [other]]);
  expect([lost.mock.calls.length, otherLost.mock.calls.length, warn.mock.calls.length]).toEqual([1, 0, 1]);
});

it('a worker that is late for one round has not lost its read', async () => {
  const { ended, watch } = setUp([], [id], [], [id]);
  const lost = vi.fn();
  watch(id, lost);
  await ended;
  expect(lost).not.toHaveBeenCalled();
});

it('reads are lost without any worker, but not without the bus', async () => {
  const none = setUp(new BusError('no-responders'), new BusError('no-responders'));
  const lost = vi.fn();
  none.watch(id, lost);
  await vi.waitFor(() => expect(lost).toHaveBeenCalledTimes(1), { timeout: 20_000 });

  const unconnected = setUp(new BusError('not-connected'), new BusError('lost'), [id]);
  const notLost = vi.fn();
  unconnected.watch(id, notLost);
  await unconnected.ended;
  expect(notLost).not.toHaveBeenCalled();
});

it('nobody is asked for a read that has been answered', async () => {
  const { asked, watch } = setUp();
  watch(id, () => {})();
  await new Promise((resolve) => setImmediate(resolve));
  expect(asked).toEqual([]);
});
