import { describe, expect, it } from 'vitest';
import { collectBytes } from '../../../collect-bytes.ts';
import { PushTooLargeError } from '../../push.ts';
import { PktReader, pktLine } from './pkt-line.ts';

async function* piecesOf(...pieces: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield Buffer.from(piece);
}

const readerOf = (bytesMax: number, ...pieces: string[]) => new PktReader(piecesOf(...pieces), bytesMax);

describe('PktReader', () => {
  it('reads lines wherever they are cut, then the rest', async () => {
    const text = `${pktLine('one').toString()}${pktLine('two').toString()}0000PACKrest`;
    for (let at = 0; at < text.length; at += 1) {
      const reader = readerOf(100, text.slice(0, at), text.slice(at));
      const lines = [await reader.line(), await reader.line(), await reader.line()];
      expect(lines.map((line) => line && line.toString())).toEqual(['one', 'two', null]);
      expect((await collectBytes(reader.rest())).toString()).toBe('PACKrest');
      expect(reader).toMatchObject({ isEnded: true, received: text.length });
    }
  });

  it('has no line in an empty source', async () => {
    expect(await readerOf(100).line()).toBeNull();
  });

  it.each(['0', '00', 'xxxx', '0001', '0004', '0009one', 'ffffa', '-001', ' 009one'])(
    'D8 refuses malformed lines (%#)',
    async (text) => {
      await expect(readerOf(100_000, text).line()).rejects.toThrow('the request is malformed');
    },
  );

  it('A4 asks its source for nothing more beyond the limit', async () => {
    const given = { pieces: 0 };
    async function* endless() {
      for (;;) {
        given.pieces += 1;
        yield Buffer.alloc(10);
      }
    }
    const rest = new PktReader(endless(), 1_000).rest();
    await expect(collectBytes(rest)).rejects.toThrow(PushTooLargeError);
    expect(given.pieces).toBe(101);
  });

  it('D8 counts all bytes', async () => {
    const reader = readerOf(8, '0007one', 'more', 'still more');
    await reader.line();
    await expect(collectBytes(reader.rest())).rejects.toThrow('the push is larger than 8 bytes');
    expect((await collectBytes(reader.rest())).length).toBe(0);
  });
});
