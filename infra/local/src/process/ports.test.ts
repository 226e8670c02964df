import { expect, it } from 'vitest';
import { chooseGatewayPorts, chooseMetricsPorts } from './ports.ts';

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

const used = new Set<number>([5_101, 5_121]);
const chooseMetrics = (first: number | null, gatewayPort = 5_000) =>
  chooseMetricsPorts({
    first,
    gatewayPort,
    gateways: 2,
    workers: 2,
    probe: async (port) => (used.has(port) ? 'EADDRINUSE' : port),
  });

it('follows the port of the first gateway, with free ports for those in use', async () => {
  expect(await chooseMetrics(null)).toEqual({ gateways: [5_100, 0], workers: [5_120, 0] });
  expect(await chooseMetrics(null, 6_000)).toEqual({ gateways: [6_100, 6_101], workers: [6_120, 6_121] });
});

it('takes the ports from the one that was set, used or not', async () => {
  expect(await chooseMetrics(5_100)).toEqual({ gateways: [5_100, 5_101], workers: [5_120, 5_121] });
});

it('chooses free ports when either is 0', async () => {
  const free = { gateways: [0, 0], workers: [0, 0] };
  expect(await chooseMetrics(0)).toEqual(free);
  expect(await chooseMetrics(null, 0)).toEqual(free);
});
