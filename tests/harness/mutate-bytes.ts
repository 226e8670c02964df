import fc from 'fast-check';

const tokens = [
  '{',
  '}',
  '[',
  ']',
  '"',
  '\\',
  ':',
  ',',
  '\0',
  ' ',
  '\r\n\r\n',
  '/*',
  '\\u0000',
  '\\ud800',
  '\\u',
  'null',
  'true',
  '1e400',
  '-0',
  '-',
  '.',
  'NaN',
  '9'.repeat(400),
  '\u202e',
  '\ufeff',
  '\u2028',
  '"id":',
  '"api_key":null,',
  '"method":"_x",',
  '"args":[],',
  '"__proto__":{"admin":true},',
  '['.repeat(40),
  '{"a":'.repeat(40),
  '['.repeat(20_000),
  '"'.repeat(3),
];
/** Bytes that are no UTF-8: a stray byte, an overlong NUL, a surrogate, a cut character, the gzip magic number. */
const broken = ['\xff', '\xc0\x80', '\xed\xa0\x80', '\xe2\x82', '\x1f\x8b'];

/** A change of bytes at one position, which is taken modulo their length. */
export type Mutation = readonly [
  kind: 'flip' | 'cut' | 'remove' | 'repeat' | 'insert',
  at: number,
  what: string | number,
];

const at = fc.nat(100_000);
const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  { weight: 1, arbitrary: fc.tuple(fc.constant('cut'), at, fc.constant('')) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('flip'), at, fc.nat(7)) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('remove'), at, fc.integer({ min: 1, max: 10 })) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('repeat'), at, fc.nat(60)) },
  {
    weight: 4,
    arbitrary: fc.tuple(
      fc.constant('insert'),
      at,
      fc.oneof(
        { weight: 3, arbitrary: fc.constantFrom(...tokens.map((token) => Buffer.from(token).toString('latin1'))) },
        { weight: 1, arbitrary: fc.constantFrom(...broken) },
      ),
    ),
  },
);

/** Samples one to three changes of bytes. */
export const mutations = fc.array(mutation, { minLength: 1, maxLength: 3 });

function mutate(bytes: Buffer, [kind, sampled, what]: Mutation): Buffer {
  const position = sampled % (bytes.length + 1);
  const [before, after] = [bytes.subarray(0, position), bytes.subarray(position)];
  if (kind === 'cut') return before;
  if (kind === 'insert') return Buffer.concat([before, Buffer.from(String(what), 'latin1'), after]);
  if (kind === 'remove') return Buffer.concat([before, after.subarray(Number(what))]);
  if (kind === 'repeat') return Buffer.concat([before, after.subarray(0, Number(what)), after]);
  const flipped = Buffer.from(bytes);
  if (position < flipped.length) flipped.writeUInt8(flipped.readUInt8(position) ^ (1 << Number(what)), position);
  return flipped;
}

export function mutateBytes(bytes: Buffer, changes: readonly Mutation[]): Buffer {
  return changes.reduce(mutate, bytes);
}

/** Samples positions at which bytes are split into pieces, modulo their length. */
export const cuts = fc.array(at, { maxLength: 7 });

/** Splits bytes at these positions, modulo their length; omits empty pieces. */
export function splitBytes(bytes: Buffer, positions: readonly number[]): Buffer[] {
  const inside = positions.map((position) => position % (bytes.length + 1)).toSorted((a, b) => a - b);
  const borders = [0, ...inside, bytes.length];
  const pieces = borders.map((start, index) => bytes.subarray(start, borders[index + 1]));
  return pieces.slice(0, -1).filter((piece) => piece.length > 0);
}
