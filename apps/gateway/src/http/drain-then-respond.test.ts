import { setMaxListeners } from 'node:events';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { setImmediate as nextTurnOfLoop } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { turnBytes, type Turn } from './body-slices.ts';
import { drainThenRespond } from './drain-then-respond.ts';

const answer = new TextEncoder().encode('answer');

/** Drains a request of sixteen turns, each of which has to be given. */
function setUp() {
  const incoming = new IncomingMessage(new Socket());
  let discarded = 0;
  incoming.on('data', (chunk: Buffer) => (discarded += chunk.length));
  incoming.pause();
  for (let part = 0; part < 16; part += 1) incoming.push(Buffer.alloc(turnBytes));
  incoming.push(null);
  const waiting: (() => void)[] = [];
  const turns: Turn[] = [];
  const takeTurn = (turn: Turn) => {
    setMaxListeners(0, turn.signal);
    turns.push(turn);
    return new Promise<void>((resolve, reject) => {
      waiting.push(resolve);
      turn.signal.addEventListener('abort', () => reject(new Error('aborted')));
    });
  };
  const body = drainThenRespond(incoming, answer, { source: '192.0.2.1', takeTurn });
  return { body, turns, discarded: () => discarded, giveTurn: () => waiting.shift()?.() };
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await nextTurnOfLoop();
}

describe('drainThenRespond', () => {
  it('A5 discards the rest of a request in turns of its address, and ends with it', async () => {
    const { body, turns, discarded, giveTurn } = setUp();
    for (let turn = 1; turn <= 16; turn += 1) {
      await settled();
      expect([turns.length, discarded()]).toEqual([turn, turn * turnBytes]);
      giveTurn();
    }
    expect(await new Response(body).text()).toBe('answer');
    expect(new Set(turns.map(({ source }) => source))).toEqual(new Set(['192.0.2.1']));
  });

  it('A5 waits for no turn once the client has gone', async () => {
    const { body, turns, discarded } = setUp();
    await settled();
    await body.cancel();
    await settled();
    expect(turns.map(({ signal }) => signal.aborted)).toEqual([true]);
    expect(discarded()).toBe(turnBytes);
  });
});
