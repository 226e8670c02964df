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
