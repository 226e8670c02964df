import { readFileSync } from 'node:fs';
import type { Registry } from 'prom-client';
import { processorWaitMs } from '../concurrency/processor-wait.ts';
import { serviceVersion } from '../service-version.ts';
import { observeCounter, observeGauge } from './observe.ts';

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
