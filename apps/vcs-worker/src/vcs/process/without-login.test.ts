import { expect, it } from 'vitest';
import { withoutLogin } from './without-login.ts';

const remote = {
  scheme: 'https',
  url: 'https://host.example/r',
  username: 'ann',
  password: 's3cr@et',
} as const;

it.each([
  ['sent ann:s3cr@et', 'sent ann:*****'],
  ['https://ann:s3cr%40et@host.example', 'https://ann:*****@host.example'],
  [`Basic ${Buffer.from('ann:s3cr@et').toString('base64')}`, 'Basic *****'],
  ['s3cr@et s3cr@et', '***** *****'],
])('D10 shows %j as %j', (said, shown) => {
  expect(withoutLogin(said, remote)).toBe(shown);
});

it.each([null, ''])('leaves a text alone when the password is %j', (password) => {
  expect(withoutLogin('ann', { ...remote, password })).toBe('ann');
});
