import { readFileSync } from 'node:fs';
import type { Registry } from 'prom-client';
import { processorWaitMs } from '../concurrency/processor-wait.ts';
import { serviceVersion } from '../service-version.ts';
import { observeCounter, observeGauge } from './observe.ts';
import type { Bus } from '../bus/bus.ts';

/** Units of the times in /proc, by which Linux counts them for programs on every architecture. */
const ticksPerSecond = 100;
/** Fields of /proc/self/stat behind the name, which may contain spaces: the times of children that were waited for. */
const childTimes = { user: 13, system: 14 };

/** Returns the processor time of all children that have ended, with theirs, in seconds; null where there is no /proc. */
function childProcessorSeconds(): number | null {
  try {
    const stat = readFileSync('/proc/self/stat', 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[childTimes.user]) + Number(fields[childTimes.system])) / ticksPerSecond;
  } catch {
    return null;
  }
}

const known = (value: number | null) => (value === null ? [] : [{ value }]);

/** Registers what a process is, and figures of its processor time beside those of prom-client. */
export function observeProcess(registry: Registry, role: string): void {
  const version = serviceVersion();
  observeGauge(registry, {
    name: 'trunkline_build_info',
    help: 'Always 1, with the release and the role of the process',
    labels: ['version', 'role'],
    read: async () => [{ labels: { version: await version, role }, value: 1 }],
  });
  observeCounter(registry, {
    name: 'trunkline_processor_wait_seconds_total',
    help: 'Time for which the main thread was ready to run and waited for a core',
    read: () => {
      const ms = processorWaitMs();
      return known(ms === null ? null : ms / 1_000);
    },
  });
  observeCounter(registry, {
    name: 'trunkline_child_cpu_seconds_total',
    help: 'Processor time of the child processes that have ended',
    read: () => known(childProcessorSeconds()),
  });
}

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
