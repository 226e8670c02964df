import { expect, it } from 'vitest';
import { chooseGatewayPorts } from './gateway-ports.ts';

const choose = (busy: readonly number[], options: { first: number; isAsked: boolean; count: number }) =>
  chooseGatewayPorts({
    ...options,
    probe: (port) => Promise.resolve(busy.includes(port) ? 'EADDRINUSE' : port < 1024 ? 'EACCES' : port),
  });

it('takes successive ports', async () => {
  expect(await choose([], { first: 5000, isAsked: false, count: 3 })).toEqual([5000, 5001, 5002]);
});

it('leaves 0 to the system', async () => {
  expect(await choose([], { first: 0, isAsked: true, count: 2 })).toEqual([0, 0]);
});

it('passes over busy ports that were not asked for', async () => {
  expect(await choose([5000], { first: 5000, isAsked: false, count: 1 })).toEqual([5001]);
  expect(await choose([5001, 5004], { first: 5000, isAsked: false, count: 2 })).toEqual([5002, 5003]);
});

it('refuses a busy port that was asked for', async () => {
  await expect(choose([6001], { first: 6000, isAsked: true, count: 2 })).rejects.toThrow(
    'Port 6001 of 127.0.0.1 is in use',
  );
});

it('tells a forbidden port from a busy one', async () => {
  await expect(choose([], { first: 80, isAsked: true, count: 1 })).rejects.toThrow('is refused (EACCES)');
});

it('gives up when everything near is busy', async () => {
  const busy = Array.from({ length: 200 }, (_, index) => 5000 + index);
  await expect(choose(busy, { first: 5000, isAsked: false, count: 1 })).rejects.toThrow('is in use');
});
