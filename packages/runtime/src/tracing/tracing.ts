import type { Logger } from '../logger.ts';
import type { ProcessIdentity } from '../state/process-state.ts';
import type { Tracing } from './span.ts';

export interface TracingOptions {
  /** Whether a collector is configured. */
  readonly isOn: boolean;
  readonly identity: ProcessIdentity;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
}

/**
 * Opens the export of traces (OTLP over HTTP), which the standard variables of OpenTelemetry configure; null when no
 * collector is configured. The libraries are loaded only then: they cost a tenth of a second and 20 MB.
 */
export async function openTracing({ isOn, identity, logger }: TracingOptions): Promise<Tracing | null> {
  if (!isOn) return null;
  const { createOtelTracing } = await import('./otel-tracing.ts');
  return createOtelTracing(identity, logger);
}
