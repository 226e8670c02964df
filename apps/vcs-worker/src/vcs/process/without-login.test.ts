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
  ['3cr@et was sent', '***** was sent'],
  ['r%40et was sent', '***** was sent'],
  [`${Buffer.from('ann:s3cr@et').toString('base64').slice(5)} was sent`, '***** was sent'],
])('D10 masks the login in %j: %j', (said, shown) => {
  expect(withoutLogin(said, remote)).toBe(shown);
});

it('D10 masks a token that is sent as the user name', () => {
  const said = `token t0ken, Basic ${Buffer.from('t0ken:').toString('base64')}`;
  for (const password of [null, '']) {
    expect(withoutLogin(said, { ...remote, username: 't0ken', password })).toBe('token *****, Basic *****');
  }
});

it.each([null, ''])('masks nothing in the output of ssh when the password is %j', (password) => {
  expect(withoutLogin('ann', { ...remote, scheme: 'ssh', password })).toBe('ann');
});
