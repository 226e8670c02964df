import { createServer } from 'node:net';
import { metricsPorts } from '@trunkline/runtime';
import { StartError } from '../start-error.ts';

/** Listens on `port` of 127.0.0.1 (0: any) for a moment; resolves to the port, or to the error code. */
export function probePort(port: number): Promise<number | string> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ host: '127.0.0.1', port }, () => {
      const address = server.address();
      server.close(() => {
        if (address === null || typeof address === 'string') reject(new Error('a TCP listener has no port'));
        else resolve(address.port);
      });
    });
  });
}

export async function findFreePort(): Promise<number> {
  const port = await probePort(0);
  if (typeof port === 'string') throw new Error(`no free port on 127.0.0.1: ${port}`);
  return port;
}

const basesTried = 100;
const portMax = 65_535;

/**
 * Returns the ports of `count` gateways: successive ports from `first`, or all 0 (any port) when `first` is 0. Busy
 * ports are passed over unless `first` was set. `probe` resolves to a usable port or to an error code.
 */
export async function chooseGatewayPorts(options: {
  first: number;
  isSet: boolean;
  count: number;
  probe: (port: number) => Promise<number | string>;
}): Promise<readonly number[]> {
  const { first, isSet, count, probe } = options;
  if (first === 0) return Array.from({ length: count }, () => 0);

  let refused = '';
  for (let base = first; base < first + (isSet ? 1 : basesTried); base++) {
    if (base + count - 1 > portMax) {
      refused ||= `Fewer than ${count} ports are available from ${first} on`;
      break;
    }
    const ports = Array.from({ length: count }, (_, index) => base + index);
    const answers = await Promise.all(ports.map(probe));
    const bad = answers.findIndex((answer) => typeof answer === 'string');
    if (bad === -1) return ports;
    refused = `Port ${base + bad} of 127.0.0.1 ${answers[bad] === 'EADDRINUSE' ? 'is in use' : `is refused (${answers[bad]})`}`;
  }
  throw new StartError(`${refused}: set TRUNKLINE_PORT to another port, or to 0 for a free one`);
}

const belowWorkers = metricsPorts.worker - metricsPorts.gateway;
const aboveGateway = metricsPorts.gateway - 5_000;

export interface MetricsPorts {
  readonly gateways: readonly number[];
  readonly workers: readonly number[];
}

export interface MetricsPortOptions {
  /** The port that was set; null when the ports follow from that of the first gateway. */
  readonly first: number | null;
  /** Port of the first gateway; 0 for a free one. */
  readonly gatewayPort: number;
  readonly gateways: number;
  readonly workers: number;
  /** Resolves to a usable port or to an error code. */
  readonly probe: (port: number) => Promise<number | string>;
}

/**
 * Returns the ports of the metrics of each gateway and worker, which do not depend on the number of the others, or 0
 * for a free port. One that follows from another port and is in use is replaced by a free one, since the operator has
 * not asked for it.
 */
export async function chooseMetricsPorts(options: MetricsPortOptions): Promise<MetricsPorts> {
  const { first, gatewayPort, gateways, workers, probe } = options;
  const base = first ?? (gatewayPort === 0 ? 0 : gatewayPort + aboveGateway);
  const usable = async (port: number) => {
    if (base === 0) return 0;
    return first === null && typeof (await probe(port)) === 'string' ? 0 : port;
  };
  const successive = (from: number, count: number) =>
    Promise.all(Array.from({ length: count }, (_, index) => usable(from + index)));
  return { gateways: await successive(base, gateways), workers: await successive(base + belowWorkers, workers) };
}
