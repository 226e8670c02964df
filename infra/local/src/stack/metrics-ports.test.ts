import { expect, it } from 'vitest';
import { chooseMetricsPorts } from './metrics-ports.ts';

const used = new Set<number>([5_101, 5_121]);
const choose = (first: number | null, gatewayPort = 5_000) =>
  chooseMetricsPorts({
    first,
    gatewayPort,
    gateways: 2,
    workers: 2,
    probe: async (port) => (used.has(port) ? 'EADDRINUSE' : port),
  });

it('follows the port of the first gateway, with free ports for those in use', async () => {
  expect(await choose(null)).toEqual({ gateways: [5_100, 0], workers: [5_120, 0] });
  expect(await choose(null, 6_000)).toEqual({ gateways: [6_100, 6_101], workers: [6_120, 6_121] });
});

it('takes the ports from the one that was set, used or not', async () => {
  expect(await choose(5_100)).toEqual({ gateways: [5_100, 5_101], workers: [5_120, 5_121] });
});

it('chooses free ports when either is 0', async () => {
  const free = { gateways: [0, 0], workers: [0, 0] };
  expect(await choose(0)).toEqual(free);
  expect(await choose(null, 0)).toEqual(free);
});
