import { observeCounter, observeGauge, type CallMetrics } from '@trunkline/runtime';
import type { EgressGuard } from '../../vcs/egress/egress-guard.ts';

/** Registers metrics of the connections to remotes. */
export function observeEgress(registry: CallMetrics['registry'], guard: Pick<EgressGuard, 'figures'>): void {
  observeGauge(registry, {
    name: 'trunkline_egress_sessions_open',
    help: 'Imports, pulls and checks of remotes that may connect to their remotes now',
    read: () => [{ value: guard.figures.openSessions }],
  });
  observeCounter(registry, {
    name: 'trunkline_egress_received_bytes_total',
    help: 'Bytes that remotes have sent',
    read: () => [{ value: guard.figures.bytesReceived }],
  });
  observeCounter(registry, {
    name: 'trunkline_egress_failures_total',
    help: 'Imports, pulls and checks of remotes whose last connection has failed',
    labels: ['reason'],
    read: () =>
      Object.entries(guard.figures.failures).map(([reason, value]) => ({
        labels: { reason: reason.replaceAll(' ', '_') },
        value,
      })),
  });
}
