import { expect, it } from 'vitest';
import { parseBasic } from './parse-basic.ts';

const encode = (text: string) => Buffer.from(text).toString('base64');

it.each([
  [`Basic ${encode('ann:secret')}`, { username: 'ann', password: 'secret' }],
  [`basic  ${encode('änn:ge:heim')}`, { username: 'änn', password: 'ge:heim' }],
  [`Basic ${encode(':')}`, { username: '', password: '' }],
])('%j holds a name and a password', (header, credentials) => {
  expect(parseBasic(header)).toEqual(credentials);
});

it.each([`Basic ${encode('no colon')}`, `Basic ${Buffer.from([0x61, 0x3a, 0xff]).toString('base64')}`, 'Basic AAAA'])(
  '%j is the login of nobody',
  (header) => {
    expect(parseBasic(header)).toEqual({ username: '', password: '' });
  },
);

it.each([undefined, '', 'Basic', 'Basic ', 'Bearer x', `Basic ${encode('a:b')} x`, 'Basic !!!!'])(
  '%j holds no login',
  (header) => {
    expect(parseBasic(header)).toBeNull();
  },
);
