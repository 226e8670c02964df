import { expect, it } from 'vitest';
import { chooseGatewayPorts } from './gateway-ports.ts';

const choose = (busy: readonly number[], options: { first: number; isSet: boolean; count: number }) =>
  chooseGatewayPorts({
    ...options,
    probe: (port) => Promise.resolve(busy.includes(port) ? 'EADDRINUSE' : port < 1024 ? 'EACCES' : port),
  });

it('takes successive ports', async () => {
  expect(await choose([], { first: 5000, isSet: false, count: 3 })).toEqual([5000, 5001, 5002]);
});

it('returns 0 for each gateway when 0 was asked for', async () => {
  expect(await choose([], { first: 0, isSet: true, count: 2 })).toEqual([0, 0]);
});

it('passes over busy ports that were not asked for', async () => {
  expect(await choose([5000], { first: 5000, isSet: false, count: 1 })).toEqual([5001]);
  expect(await choose([5001, 5004], { first: 5000, isSet: false, count: 2 })).toEqual([5002, 5003]);
});

it('refuses a busy port that was asked for', async () => {
  await expect(choose([6001], { first: 6000, isSet: true, count: 2 })).rejects.toThrow(
    'Port 6001 of 127.0.0.1 is in use',
  );
});

it('names the error code of a port that is refused but not in use', async () => {
  await expect(choose([], { first: 80, isSet: true, count: 1 })).rejects.toThrow('is refused (EACCES)');
});

it('throws when all ports near the first are busy', async () => {
  const busy = Array.from({ length: 200 }, (_, index) => 5000 + index);
  await expect(choose(busy, { first: 5000, isSet: false, count: 1 })).rejects.toThrow('is in use');
});

it('probes no port above 65535', async () => {
  expect(await choose([], { first: 65_534, isSet: true, count: 2 })).toEqual([65_534, 65_535]);
  await expect(choose([], { first: 65_535, isSet: true, count: 2 })).rejects.toThrow(
    'Fewer than 2 ports are available from 65535 on: set TRUNKLINE_PORT',
  );
  await expect(choose([65_535], { first: 65_535, isSet: false, count: 1 })).rejects.toThrow('Port 65535');
});
