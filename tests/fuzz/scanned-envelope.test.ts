import { InvalidRequestError } from '@trunkline/contracts';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openEnvelope, readEnvelope } from '../../apps/gateway/src/rpc/envelope.ts';
import { mutateBytes, mutations } from '../harness/mutate-bytes.ts';
import { chosenRounds, chosenSeed, sampled } from '../harness/random.ts';
import { referenceEnvelope, type EnvelopeOutcome } from '../harness/reference-envelope.ts';

const rounds = chosenRounds(5_000);
const seed = chosenSeed();

/** The value of a member that cannot be a key is not built, so that only keys are compared. */
const keyOrNull = (sent: unknown) => (typeof sent === 'string' && /^[0-9a-f]{40}$/.test(sent) ? sent : null);

function scanned(body: Buffer): EnvelopeOutcome {
  try {
    const { rawId, members } = openEnvelope(body);
    const { apiKey, parse } = readEnvelope(members);
    const { sentMethod: method, args } = parse();
    return { id: rawId, apiKey: keyOrNull(apiKey), method, args };
  } catch (error) {
    if (error instanceof InvalidRequestError) return { refusal: error.message };
    throw error;
  }
}

function parsed(body: Buffer): EnvelopeOutcome {
  const outcome = referenceEnvelope(body);
  return 'refusal' in outcome ? outcome : { ...outcome, apiKey: keyOrNull(outcome.apiKey) };
}

const escaped = (name: string) =>
  fc.array(fc.boolean(), { minLength: name.length, maxLength: name.length }).map((flags) =>
    name
      .split('')
      .map((letter, at) => (flags[at] ? `\\u00${letter.charCodeAt(0).toString(16)}` : letter))
      .join(''),
  );
const names = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('id', 'api_key', 'auth_token', 'method', 'args', '__proto__', 'ID', '') },
  { weight: 2, arbitrary: fc.constantFrom('id', 'api_key', 'method', 'args').chain(escaped) },
);
const space = fc.constantFrom('', '', '', ' ', '\n', '\t\r ', '\u00a0', '\v', '\ufeff');
const scalars = fc.constantFrom(
  ...['0', '-0', '1.0', '-1.5e+3', '1e999', '1E-400', '01', '1.', '.5', '-', '+1', '1e', '12345678901234567890'],
  ...['true', 'false', 'null', 'tru', 'nulll', 'NaN', 'Infinity', '"a"', '"k\\"', '"\\ud800"', '"\\u12"', '"\\x"'],
  ...['"\u{1f600}"', '"\u2028"', '"\t"', '"\\t\\/\\""', '"\0"', '""', '{}', '[]', '', '"[{\\"id\\":2}]"', "'a'", '//'],
);
const { value: values } = fc.letrec<{ value: string; list: string; object: string }>((tie) => ({
  value: fc.oneof({ maxDepth: 4, withCrossShrink: true }, scalars, tie('list'), tie('object')),
  list: fc.tuple(fc.array(tie('value'), { maxLength: 3 }), space).map(([all, gap]) => `[${gap}${all.join(`${gap},`)}]`),
  object: fc
    .array(fc.tuple(names, space, tie('value'), space), { maxLength: 3 })
    .map((all) => `{${all.map(([name, before, value, after]) => `"${name}"${before}:${after}${value}`).join(',')}}`),
}));
const nested = fc.tuple(fc.integer({ min: 28, max: 36 }), values).map(([depth, value]) => {
  return '['.repeat(depth) + value + ']'.repeat(depth);
});
const members = fc.array(fc.tuple(names, space, fc.oneof({ weight: 9, arbitrary: values }, nested)), { maxLength: 7 });
const requests = fc
  .tuple(
    members,
    space,
    fc.constantFrom('', '', '', '', '\ufeff', '\ufeff\ufeff', '[', ' '),
    fc.constantFrom('', '', '', '}', '1', ','),
  )
  .map(([all, gap, before, after]) => {
    const inside = all.map(([name, around, value]) => `${around}"${name}"${gap}:${value}${around}`).join(',');
    return `${before}{${inside}}${after}`;
  });
const keys = fc.oneof(
  fc.string(),
  fc.constantFrom('0123456789abcdef0123456789abcdef01234567', '\\u0030'.repeat(40), 'a'.repeat(40)),
);
const sound = fc.record({ id: fc.jsonValue(), api_key: keys, method: fc.string(), args: fc.jsonValue() });
const bodies = fc
  .tuple(
    fc.oneof(
      { weight: 3, arbitrary: requests },
      { weight: 2, arbitrary: sound.map((one) => JSON.stringify(one, null, 1).replaceAll('\\\\u', '\\u')) },
      {
        weight: 1,
        arbitrary: fc.array(fc.constantFrom(...'{}[]":,\\1e-.tn \0é'.split(''))).map((all) => all.join('')),
      },
    ),
    fc.oneof({ weight: 1, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: mutations }),
  )
  .map(([text, changes]) => mutateBytes(Buffer.from(text), changes));

it('A1 A2 A3 A6 A7 a scan of any bytes finds what parsing them finds, or refuses them with the same text', () => {
  console.log(`TRUNKLINE_TEST_SEED=${seed} TRUNKLINE_TEST_FUZZ_ROUNDS=${rounds}`);
  const count = { accepted: 0, refused: 0 };
  fc.assert(
    fc.property(bodies, (body) => {
      const outcome = scanned(body);
      if ('refusal' in outcome) count.refused += 1;
      else count.accepted += 1;
      expect(outcome).toStrictEqual(parsed(body));
    }),
    sampled(seed, 0, rounds),
  );
  expect(count.accepted).toBeGreaterThan(0);
  expect(count.refused).toBeGreaterThan(0);
}, 600_000);
