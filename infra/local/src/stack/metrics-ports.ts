import { metricsPorts } from '@trunkline/runtime';

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
