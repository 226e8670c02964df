import { expect, it } from 'vitest';
import { createAddressPolicy } from './address-policy.ts';

const isAllowed = createAddressPolicy([]);

it.each([
  '0.0.0.0',
  '10.0.0.1',
  '100.64.0.1',
  '127.0.0.1',
  '127.255.255.254',
  '169.254.169.254',
  '172.16.0.1',
  '192.168.1.1',
  '192.0.2.1',
  '192.88.99.1',
  '198.18.0.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::127.0.0.1',
  '::8.8.8.8',
  '::ffff:127.0.0.1',
  '::ffff:a9fe:a9fe',
  '::ffff:0:127.0.0.1',
  '64:ff9b::7f00:1',
  '64:ff9b::808:808',
  '64:ff9b:1::7f00:1',
  '100::1',
  '2001::1',
  '2001:db8::1',
  '2002:7f00::',
  '2002:7f00:1::1',
  '2002:808:808::1',
  'fc00::1',
  'fd00:ec2::254',
  'fe80::1',
  'fe80::1%eth0',
  'fec0::1',
  'ff02::1',
  'localhost',
  '',
])('D6 D7 refuses address %j', (address) => {
  expect(isAllowed(address)).toBe(false);
});

it.each(['8.8.8.8', '::ffff:8.8.8.8', '140.82.121.4', '2606:4700::1111', '2a00:1450:4001::1'])(
  'D7 allows public address %j',
  (address) => {
    expect(isAllowed(address)).toBe(true);
  },
);

it('D7 allows the addresses and blocks that the operator lists, and not their neighbours', () => {
  const withList = createAddressPolicy(['127.0.0.2', '10.1.0.0/16', 'fd00::/8', '::1']);
  const listed = ['127.0.0.2', '::ffff:127.0.0.2', '10.1.255.1', 'fd12::1', '::1', '8.8.8.8'];
  expect(listed.filter((address) => !withList(address))).toEqual([]);
  const beside = ['127.0.0.1', '127.0.0.3', '10.2.0.1', 'fe80::1', '::', '::2'];
  expect(beside.filter((address) => withList(address))).toEqual([]);
});

it.each(['localhost', '10.0.0.0/33', '127.1', '', '10.0.0.0/', '::ffff:10.0.0.0/104'])(
  'throws for the invalid entry %j in the list of allowed remotes',
  (entry) => {
    expect(() => createAddressPolicy([entry])).toThrow(/neither an address nor a CIDR block/u);
  },
);
