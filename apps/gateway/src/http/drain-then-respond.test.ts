import { setMaxListeners } from 'node:events';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { setImmediate as nextTurnOfLoop } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { sliceBytes, type Slice } from './body-slices.ts';
import { drainThenRespond } from './drain-then-respond.ts';

const answer = new TextEncoder().encode('answer');

/** Drains a request of sixteen slices, each of which has to be given. */
function setUp() {
  const incoming = new IncomingMessage(new Socket());
  let discarded = 0;
  incoming.on('data', (chunk: Buffer) => (discarded += chunk.length));
  incoming.pause();
  for (let part = 0; part < 16; part += 1) incoming.push(Buffer.alloc(sliceBytes));
  incoming.push(null);
  const waiting: (() => void)[] = [];
  const slices: Slice[] = [];
  const takeSlice = (slice: Slice) => {
    setMaxListeners(0, slice.signal);
    slices.push(slice);
    return new Promise<void>((resolve, reject) => {
      waiting.push(resolve);
      slice.signal.addEventListener('abort', () => reject(new Error('aborted')));
    });
  };
  const body = drainThenRespond(incoming, answer, { source: '192.0.2.1', takeSlice });
  return { body, slices, discarded: () => discarded, giveSlice: () => waiting.shift()?.() };
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await nextTurnOfLoop();
}

describe('drainThenRespond', () => {
  it('A5 discards the rest of a request in turns of its address, and ends with it', async () => {
    const { body, slices, discarded, giveSlice } = setUp();
    for (let turn = 1; turn <= 16; turn += 1) {
      await settled();
      expect([slices.length, discarded()]).toEqual([turn, turn * sliceBytes]);
      giveSlice();
    }
    expect(await new Response(body).text()).toBe('answer');
    expect(new Set(slices.map(({ source }) => source))).toEqual(new Set(['192.0.2.1']));
  });

  it('A5 waits for no turn once the client has gone', async () => {
    const { body, slices, discarded } = setUp();
    await settled();
    await body.cancel();
    await settled();
    expect(slices.map(({ signal }) => signal.aborted)).toEqual([true]);
    expect(discarded()).toBe(sliceBytes);
  });
});
