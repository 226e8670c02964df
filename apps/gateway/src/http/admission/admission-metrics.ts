import { Gauge, type Registry } from 'prom-client';
import type { Admission } from './admission.ts';

/** Registers the gauge `trunkline_requests_waiting`: requests of heavy sources that wait for their turns. */
export function observeAdmission(registry: Registry, admission: Pick<Admission, 'waiting'>): void {
  const waiting = new Gauge({
    name: 'trunkline_requests_waiting',
    help: 'Requests of addresses with many requests that wait, since the gateway is overloaded',
    registers: [],
    collect() {
      this.set(admission.waiting);
    },
  });
  registry.registerMetric(waiting);
}
