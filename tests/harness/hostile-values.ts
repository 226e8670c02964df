import fc from 'fast-check';
import { injectionPayloads } from '../../apps/vcs-worker/src/vcs/testing/injection-payloads.ts';

type Some<T> = readonly [T, ...T[]];

const sql = [
  "'; drop table users; --",
  "' or '1'='1",
  '1); delete from names; --',
  "x' union select username, value from api_keys --",
  "x'||pg_sleep(30)||'",
  '$1',
  '%',
  '_',
  '\\',
] as const;

const text = [
  '',
  ' ',
  'a\0b',
  '\0',
  '\ud800',
  'x\udfff',
  '\u202egnp.exe',
  '\u2028\u2029\u0085',
  '\ufeff',
  'e\u0301',
  '\u{1f600}'.repeat(300),
  '\x1b[31m{"level":60}\n{"level":60}',
  '%s%n%00',
  '%2e%2e%2f',
  '../../etc/passwd',
  'a//b',
  '/abs/',
  '.hg',
  'x.git',
  '@repos',
  '@trash/x',
  '-1',
  '42',
  '٣',
  '0x10',
  '1e3',
  '9'.repeat(30),
  'constructor',
  '__proto__',
  'toString',
  'true',
  'yes',
  'None',
  'null',
  'NaN',
  '2016-02-31',
  '9999-12-31T23:59:59.999',
  '::1',
  '0.0.0.0/0',
  '300.1.1.1/99',
  'fe80::1%eth0',
  'a@b',
  'a@b\r\nBcc: c@d',
  'ext::sh -c x',
  'file:///etc',
  'http://127.0.0.1:1/x',
  'http://[::ffff:127.0.0.1]:1/',
  'https://user:pass@localhost:1/',
  'ssh://-oProxyCommand=x/y',
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  ']]>&amp;',
  'javascript:alert(1)',
  'x'.repeat(256),
  'x'.repeat(20_000),
  'a/'.repeat(200),
] as const;

const others: Some<unknown> = [
  null,
  true,
  false,
  0,
  -0,
  -1,
  1.5,
  1e-7,
  2 ** 31,
  2 ** 53,
  1e20,
  1e308,
  [],
  [[]],
  ['x', null],
  {},
  { id: 1 },
  { toString: 'x', valueOf: 1 },
  JSON.parse('{"__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}}}'),
  Array.from({ length: 500 }, (_, index) => index),
];

/** Returns texts that an attacker or a mistaken user might send; some would create the file `canary`. */
export function hostileTexts(canary: string): Some<string> {
  return [...sql, ...text, ...injectionPayloads(canary)];
}

export interface Hostility {
  readonly text: fc.Arbitrary<string>;
  /** Any value that JSON can represent. */
  readonly value: fc.Arbitrary<unknown>;
}

/** Samples hostile texts and values; a third of the texts are joined with one of `innocent`. */
export function sampleHostile(canary: string, innocent: Some<string> = ['x']): Hostility {
  const hostile = fc.constantFrom(...hostileTexts(canary));
  const plain = fc.constantFrom(...innocent);
  const text = fc.oneof(
    { weight: 4, arbitrary: hostile },
    { weight: 1, arbitrary: fc.tuple(plain, hostile).map((parts) => parts.join('')) },
    { weight: 1, arbitrary: fc.tuple(hostile, plain).map((parts) => parts.join('')) },
  );
  const value = fc.oneof({ weight: 2, arbitrary: text }, { weight: 1, arbitrary: fc.constantFrom(...others) });
  return { text, value };
}
