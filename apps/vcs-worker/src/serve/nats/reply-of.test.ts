import { Content, splitContentHead } from '@trunkline/contracts';
import { describe, expect, it } from 'vitest';
import { createLaneSlots, type Slot } from '../admission/lane-slots.ts';
import { peek } from '../../methods/content/first-bytes.ts';
import { replyOf } from './reply-of.ts';

const head = { name: 'a' };

function takenSlot() {
  const slots = createLaneSlots(1);
  const slot = slots.tryTake('caller');
  if (!slot) throw new Error('no slot');
  return { slots, slot };
}

const answeredBy = (slot: Slot, movedOn = () => {}) => ({ slot, movedOn });

async function streamOf(slot: Slot, pieces: readonly string[]) {
  let returned = false;
  async function* source() {
    try {
      for (const piece of pieces) yield Buffer.from(piece);
    } finally {
      returned = true;
    }
  }
  // Handlers read the first piece, so that the body has begun.
  const { whole } = await peek(source());
  const reply = replyOf(new Content(head, whole), answeredBy(slot));
  if (!('stream' in reply)) throw new Error('no stream');
  return { stream: reply.stream, wasReturned: () => returned };
}

async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

describe('replyOf', () => {
  it('a record is encoded as JSON', () => {
    const reply = replyOf([1], answeredBy(takenSlot().slot));
    expect(reply).toEqual({ payload: Buffer.from('[1]'), errorCode: null });
  });

  it('short content follows its head in one payload', () => {
    const reply = replyOf(new Content(head, Buffer.from('x\ny')), answeredBy(takenSlot().slot));
    const { head: read, rest } = splitContentHead('payload' in reply ? reply.payload : Buffer.alloc(0)) ?? {};
    expect(read).toEqual(head);
    expect(Buffer.from(rest ?? []).toString()).toBe('x\ny');
  });

  it('a stream keeps its slot until it has been read', async () => {
    const { slots, slot } = takenSlot();
    const { stream } = await streamOf(slot, ['x', 'y']);
    slot.end();
    const read: Uint8Array[] = [];
    for await (const piece of stream) {
      expect(slots.held).toBe(1);
      read.push(piece);
    }
    expect(Buffer.concat(read).toString()).toBe('{"name":"a"}\nxy');
    await settled();
    expect(slots.held).toBe(0);
  });

  it('tells that a stream moves on, at each piece', async () => {
    let moves = 0;
    const told: unknown[] = [];
    const reading = { sent: (bytes: number) => told.push(bytes), wanted: () => told.push('wanted') };
    const slot = { ...takenSlot().slot, beginReading: () => reading };
    const body = async function* () {
      yield Buffer.from('x');
    };
    const reply = replyOf(
      new Content(head, body()),
      answeredBy(slot, () => (moves += 1)),
    );
    const pieces = ('stream' in reply ? reply.stream : body())[Symbol.asyncIterator]();
    const counts: number[] = [];
    for (let read = 0; read < 3; read += 1) {
      await pieces.next();
      counts.push(moves);
    }
    expect(counts).toEqual([0, 2, 3]);
    expect(told).toEqual(['wanted', 1, 'wanted']);
  });

  it.each([0, 1, 2])(
    'D12 a stream that is left after %i pieces gives its slot back and ends its source',
    async (pieces) => {
      const { slots, slot } = takenSlot();
      const { stream, wasReturned } = await streamOf(slot, ['x', 'y', 'z']);
      slot.end();
      const iterator = stream[Symbol.asyncIterator]();
      for (let read = 0; read < pieces; read += 1) await iterator.next();
      await iterator.return?.();
      await settled();
      expect(slots.held).toBe(0);
      expect(wasReturned()).toBe(true);
    },
  );

  it('a source that fails gives the slot back', async () => {
    const { slots, slot } = takenSlot();
    async function* failing() {
      yield Buffer.from('x');
      throw new Error('gone');
    }
    const reply = replyOf(new Content(head, failing()), answeredBy(slot));
    slot.end();
    const iterator = ('stream' in reply ? reply.stream : failing())[Symbol.asyncIterator]();
    for (let read = 0; read < 2; read += 1) await iterator.next();
    await expect(iterator.next()).rejects.toThrow('gone');
    await settled();
    expect(slots.held).toBe(0);
  });
});
