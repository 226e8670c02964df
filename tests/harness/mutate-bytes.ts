import type { Random } from './random.ts';

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
/** What is no UTF-8: a stray byte, an overlong NUL, a surrogate, a cut character, the head of gzip. */
const broken = ['\xff', '\xc0\x80', '\xed\xa0\x80', '\xe2\x82', '\x1f\x8b'];

type Mutation = (bytes: Buffer, at: number, random: Random) => Buffer;

const insert = (bytes: Buffer, at: number, what: Buffer) =>
  Buffer.concat([bytes.subarray(0, at), what, bytes.subarray(at)]);
const some = (list: readonly string[], random: Random) => list[random.below(list.length)] ?? '';

const flip: Mutation = (bytes, at, random) => {
  const flipped = Buffer.from(bytes);
  if (at < flipped.length) flipped.writeUInt8(flipped.readUInt8(at) ^ (1 << random.below(8)), at);
  return flipped;
};
const cut: Mutation = (bytes, at) => bytes.subarray(0, at);
const remove: Mutation = (bytes, at, random) => {
  return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + random.below(10))]);
};
const repeat: Mutation = (bytes, at, random) => insert(bytes, at, bytes.subarray(at, at + random.below(60)));
const addToken: Mutation = (bytes, at, random) => insert(bytes, at, Buffer.from(some(tokens, random)));
const addBroken: Mutation = (bytes, at, random) => insert(bytes, at, Buffer.from(some(broken, random), 'latin1'));

const mutations = [flip, flip, cut, remove, repeat, addToken, addToken, addToken, addBroken] as const;

/** The same bytes, wrong in one to three places. */
export function mutateBytes(bytes: Buffer, random: Random): Buffer {
  let mutated = bytes;
  for (let left = 1 + random.below(3); left > 0; left -= 1) {
    mutated = random.pick(mutations)(mutated, random.below(mutated.length + 1), random);
  }
  return mutated;
}

/** The same bytes in pieces: a few, of any length. */
export function splitBytes(bytes: Buffer, random: Random): Buffer[] {
  const cuts = Array.from({ length: random.below(8) }, () => random.below(bytes.length + 1));
  const places = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
  const pieces = places.map((start, index) => bytes.subarray(start, places[index + 1]));
  return pieces.slice(0, -1).filter((piece) => piece.length > 0);
}
