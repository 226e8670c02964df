import type { Registry } from 'prom-client';
import type { Bus } from '../bus/bus.ts';
import { observeCounter, observeGauge } from './observe.ts';

/** Registers the state of the connection to the bus. */
export function observeBus(registry: Registry, bus: Pick<Bus, 'connected' | 'onReconnect'>): void {
  let reconnections = 0;
  bus.onReconnect(() => (reconnections += 1));
  observeGauge(registry, {
    name: 'trunkline_bus_connected',
    help: '1 while the process is connected to the bus, else 0',
    read: () => [{ value: bus.connected ? 1 : 0 }],
  });
  observeCounter(registry, {
    name: 'trunkline_bus_reconnections_total',
    help: 'Connections to the bus after the first one was lost',
    read: () => [{ value: reconnections }],
  });
}

/** Registers what the process lacks to do its work, as it answers at `/readyz`; checked at each scrape. */
export function observeReadiness(registry: Registry, missing: () => Promise<readonly string[]>): void {
  observeGauge(registry, {
    name: 'trunkline_ready',
    help: '1 while the process has all that it needs to answer calls, else 0',
    read: async () => [{ value: (await missing()).length === 0 ? 1 : 0 }],
  });
  observeGauge(registry, {
    name: 'trunkline_dependency_answers',
    help: '1 while the dependency answers the process within a second, else 0',
    labels: ['dependency'],
    read: async () => {
      const absent = await missing();
      return ['database', 'bus'].map((dependency) => ({
        labels: { dependency },
        value: absent.some((name) => name === dependency || name.startsWith(`${dependency} (`)) ? 0 : 1,
      }));
    },
  });
}
