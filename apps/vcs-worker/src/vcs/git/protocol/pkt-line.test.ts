import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { collectBytes } from '../../../collect-bytes.ts';
import { PushTooLargeError } from '../../push.ts';
import { isWholeAnswer, pktLine, PktReader } from './pkt-line.ts';

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

it.each([
  ['one line', '0006a\n0000', true],
  ['several parts, the last one ended', '0006a\n00000006b\n0000', true],
  ['an empty line, a delimiter', '000400010000', true],
  ['upper case lengths', '000Aabcdef0000', true],
  ['nothing', '', false],
  ['no flush at the end', '0006a\n', false],
  ['a flush in the middle only', '0006a\n00000006b\n', false],
  ['cut in a line', '0032aaaa', false],
  ['cut in a line whose end looks like a flush', '0032aaaa0000', false],
  ['cut in a length', '0006a\n000', false],
  ['lengths of no line', '00020000', false],
  ['three is no length', '00030000', false],
  ['no hexadecimal digits', '0x1f0000', false],
  ['html', '<!doctype html><title>0000', false],
])('%s (%j) is whole: %j', (_name, answer, expected) => {
  expect(isWholeAnswer(Buffer.from(answer))).toBe(expected);
});

it('D8 a flood of empty pkt-lines is not a whole answer', () => {
  const flood = Buffer.from(`${'0004'.repeat(1_000_001)}0000`);
  expect(isWholeAnswer(flood)).toBe(false);
});

it('pkt-lines that end with a flush are whole; of their prefixes, only those that end with a flush are', () => {
  const line = fc.string({ maxLength: 20 }).map((text) => {
    const body = Buffer.from(text);
    return Buffer.concat([Buffer.from((body.length + 4).toString(16).padStart(4, '0')), body]);
  });
  const flush = fc.constant(Buffer.from('0000'));
  fc.assert(
    fc.property(fc.array(fc.oneof({ weight: 4, arbitrary: line }, flush)), (lines) => {
      const answer = Buffer.concat([...lines, Buffer.from('0000')]);
      const ends = lines.flatMap((one, at) => (one.equals(Buffer.from('0000')) ? [at] : []));
      const whole = new Set(ends.map((at) => Buffer.concat(lines.slice(0, at + 1)).length));
      expect(isWholeAnswer(answer)).toBe(true);
      for (let cut = 0; cut < answer.length; cut += 1) {
        expect(isWholeAnswer(answer.subarray(0, cut))).toBe(whole.has(cut));
      }
    }),
  );
});

it('never throws, whatever the bytes', () => {
  fc.assert(fc.property(fc.uint8Array(), (bytes) => void isWholeAnswer(Buffer.from(bytes))));
});
