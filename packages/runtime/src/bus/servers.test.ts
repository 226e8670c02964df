import { describe, expect, it } from 'vitest';
import { isBelowMinimumVersion, parseServers, serverOptions } from './servers.ts';

it('reads servers, and the login of the first one', () => {
  expect(serverOptions('nats://u:p%40ss@a:4222, b:4223')).toEqual({
    servers: ['a:4222', 'b:4223'],
    user: 'u',
    pass: 'p@ss',
  });
});

it.each(['tls://a:4222', 'nats://a:4222,tls://b:4222'])('demands TLS for %s', (list) => {
  expect(serverOptions(list).tls).toEqual({});
});

it('leaves TLS to the server otherwise', () => {
  expect(serverOptions('nats://a:4222')).not.toHaveProperty('tls');
});

it('returns the addresses of servers, with the usual port', () => {
  expect(parseServers('nats://user:pw@one:1, two,tls://[::1]')).toEqual({
    addresses: [
      { host: 'one', port: 1 },
      { host: 'two', port: 4222 },
      { host: '::1', port: 4222 },
    ],
    needsTls: true,
  });
  expect(parseServers('one').needsTls).toBe(false);
});

describe('isBelowMinimumVersion', () => {
  it.each(['2.9.10', '1.4.1', '2.10.29', '2.11.11', '2.12.0', '2.12.2', '2.12.2-RC.1', 'v2.11.0'])(
    '%s is below the minimum',
    (version) => expect(isBelowMinimumVersion(version)).toBe(true),
  );

  it.each(['2.11.12', '2.11.20', '2.12.3', '2.12.10', '2.13.0', '3.0.0', '2.100.0', '', 'main'])(
    '%s is not below the minimum',
    (version) => expect(isBelowMinimumVersion(version)).toBe(false),
  );
});
