import type { CallMetrics, DataServer } from '@trunkline/runtime';
import { Counter, Gauge } from 'prom-client';

/** Registers metrics of the data port: open transfers, bytes by direction, and requests without a valid ticket. */
export function observeDataPort(registry: CallMetrics['registry'], server: Pick<DataServer, 'figures'>): void {
  const open = new Gauge({
    name: 'trunkline_data_transfers_open',
    help: 'Transfers over the data port that are under way',
    registers: [],
    collect() {
      this.set(server.figures.openTransfers);
    },
  });
  const bytes = new Counter({
    name: 'trunkline_data_bytes_total',
    help: 'Bytes received and sent over the data port',
    labelNames: ['direction'],
    registers: [],
    collect() {
      const { bytesIn, bytesOut } = server.figures;
      this.reset();
      this.inc({ direction: 'in' }, bytesIn);
      this.inc({ direction: 'out' }, bytesOut);
    },
  });
  const refused = new Counter({
    name: 'trunkline_data_requests_refused_total',
    help: 'Requests to the data port without a valid ticket',
    registers: [],
    collect() {
      this.reset();
      this.inc(server.figures.refused);
    },
  });
  for (const metric of [open, bytes, refused]) registry.registerMetric(metric);
}
