import { expect, it } from 'vitest';
import { wouldLockOutCaller } from './default-user-addresses-page.tsx';

const form = (fields: Record<string, string>) => new URLSearchParams(fields);

it.each([
  ['is false when the first network contains the address', { new_ip: '10.0.0.0/8' }, [], false],
  ['is true when the first network does not contain the address', { new_ip: ' 192.0.2.0/24 ' }, [], true],
  ['is false when the address stays in a network', { new_ip: '192.0.2.0/24' }, ['10.1.2.3/32'], false],
  ['is false when the last network is removed', { del_ip_id: '192.0.2.0/24' }, ['192.0.2.0/24'], false],
  ['is true when no other network has the address', { del_ip_id: '10.0.0.0/8' }, ['10.0.0.0/8', '192.0.2.0/24'], true],
  ['is false when the form changes nothing', {}, [], false],
])('%s', (_, fields, networks, expected) => {
  expect(wouldLockOutCaller(form(fields), networks, '10.1.2.3')).toBe(expected);
});
