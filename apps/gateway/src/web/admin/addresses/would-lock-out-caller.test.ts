import { expect, it } from 'vitest';
import { wouldLockOutCaller } from './would-lock-out-caller.ts';

const form = (fields: Record<string, string>) => new URLSearchParams(fields);

it.each([
  ['a first network with the address', { new_ip: '10.0.0.0/8' }, [], false],
  ['a first network without it', { new_ip: ' 192.0.2.0/24 ' }, [], true],
  ['one more network', { new_ip: '192.0.2.0/24' }, ['10.1.2.3/32'], false],
  ['the last network removed', { del_ip_id: '192.0.2.0/24' }, ['192.0.2.0/24'], false],
  ['the only right one removed', { del_ip_id: '10.0.0.0/8' }, ['10.0.0.0/8', '192.0.2.0/24'], true],
  ['nothing', {}, [], false],
])('%s', (_, fields, networks, expected) => {
  expect(wouldLockOutCaller(form(fields), networks, '10.1.2.3')).toBe(expected);
});
