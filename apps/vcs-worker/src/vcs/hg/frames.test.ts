import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeCommand, FrameReader } from './frames.ts';

function frame(channel: string, data: string | number): Buffer {
  const body = typeof data === 'number' ? Buffer.alloc(0) : Buffer.from(data);
  const head = Buffer.alloc(5);
  head.write(channel, 'latin1');
  head.writeUInt32BE(typeof data === 'number' ? data : body.length, 1);
  return Buffer.concat([head, body]);
}

function read(reader: FrameReader, ...chunks: Buffer[]): string[] {
  return chunks.flatMap((chunk) =>
    [...reader.push(chunk)].map(({ channel, data }) => `${channel}${data === null ? '' : data.toString()}`),
  );
}

const stream = Buffer.concat([
  frame('o', 'hello'),
  frame('I', 4_096),
  frame('e', ''),
  frame('L', 1),
  frame('d', 'x'),
  frame('o', 'a\nb'),
  frame('r', '\0\0\0\0'),
]);
const frames = ['ohello', 'I', 'e', 'L', 'dx', 'oa\nb', 'r\0\0\0\0'];

describe('FrameReader', () => {
  it('reads frames cut at every position', () => {
    expect(read(new FrameReader(), stream)).toEqual(frames);
    for (let cut = 0; cut <= stream.length; cut += 1) {
      expect(read(new FrameReader(), stream.subarray(0, cut), stream.subarray(cut)), `cut at ${cut}`).toEqual(frames);
    }
    expect(read(new FrameReader(), ...[...stream].map((byte) => Buffer.from([byte])))).toEqual(frames);
  });

  it('reads many frames of many chunks', () => {
    const many = Buffer.concat(Array.from({ length: 20_000 }, (_, index) => frame('o', `line ${index}\n`)));
    const chunks = Array.from({ length: Math.ceil(many.length / 1_000) }, (_, i) =>
      many.subarray(i * 1_000, (i + 1) * 1_000),
    );
    expect(read(new FrameReader(), ...chunks)).toHaveLength(20_000);
  });

  it.each([
    ['an unknown channel', frame('W', 'arning')],
    ['text', Buffer.from('Warning: nothing good\n')],
    ['a length beyond the limit', frame('o', 0xffff_ffff)],
  ])('D11 throws on %s before the rest arrives', (_name, bytes) => {
    expect(() => read(new FrameReader(), bytes)).toThrow(/unexpected channel|a frame of/);
  });
});

describe('encodeCommand', () => {
  it('joins arguments by NUL after their length', () => {
    expect(encodeCommand(['log', 'é']).toString()).toBe('runcommand\n\0\0\0\u0006log\0é');
  });

  it('D1 refuses an argument with NUL, which would become two arguments', () => {
    expect(() => encodeCommand(['log', 'a\0--config=x.y=z'])).toThrow('NUL');
  });
});

describe('FrameReader of any bytes', () => {
  it('returns the same frames or throws the same error for chunks of any size', () => {
    const byte = fc.oneof(fc.constantFrom(...Buffer.from('oerdIL\0\0\0\0\u0001\u0002')), fc.nat(255));
    const chunk = fc.array(byte, { maxLength: 40 }).map((bytes) => Buffer.from(bytes));
    const outcome = (chunks: Buffer[]) => {
      try {
        return read(new FrameReader(), ...chunks);
      } catch (error) {
        return String(error);
      }
    };
    fc.assert(
      fc.property(fc.array(chunk), (chunks) => {
        const whole = outcome([Buffer.concat(chunks)]);
        expect(typeof whole !== 'string' || /unexpected channel|a frame of/.test(whole)).toBe(true);
        expect(outcome(chunks)).toEqual(whole);
      }),
    );
  });
});
