import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeStreamFrame, encodeStreamFrame } from './stream-link.ts';

describe('the codec of frames', () => {
  it.each([
    [{ kind: 'open', bytes: null }, 'open'],
    [{ kind: 'open', bytes: 0 }, 'open 0'],
    [{ kind: 'data', bytes: 67_108_864 }, 'data 67108864'],
    [{ kind: 'cancel', bytes: null }, 'cancel'],
  ] as const)('encodes %j as %j and decodes it back', (frame, text) => {
    expect(encodeStreamFrame(frame)).toBe(text);
    expect(decodeStreamFrame(text)).toEqual(frame);
  });

  it.each(['', 'x', 'data -1', 'data 1.5', 'data 1e3', 'data  1', 'data 1 ', 'data 1234567890123456', 'toString'])(
    'returns null for %j, which is no frame',
    (text) => {
      expect(decodeStreamFrame(text)).toBeNull();
    },
  );
});

it('decodes any text to null, or to a frame that is the same after encoding and decoding', () => {
  const words = fc.constantFrom(
    'open',
    'credit',
    'data',
    'end',
    'heartbeat',
    'cancel',
    'constructor',
    ' ',
    '0',
    '9',
    '-',
    '\n',
  );
  const text = fc.oneof(
    fc.string(),
    fc.array(words).map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(text, (sent) => {
      const frame = decodeStreamFrame(sent);
      expect(frame && decodeStreamFrame(encodeStreamFrame(frame))).toEqual(frame);
    }),
  );
});
