import type { IncomingHttpHeaders } from 'node:http';
import { isCorrelationId, type Correlation } from '@trunkline/contracts';

const version00 = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;
/** The traceparent of a later version begins with the same fields and may have more. */
const laterVersion = /^(?!00|ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-.{0,128})?$/;

function traceIdOf(traceparent: unknown): string | undefined {
  if (typeof traceparent !== 'string') return undefined;
  return (version00.exec(traceparent) ?? laterVersion.exec(traceparent))?.[1];
}

/** Reads `X-Request-Id` and the trace id of `traceparent`; a malformed or repeated header counts as absent. */
export function readCorrelation(headers: IncomingHttpHeaders): Correlation {
  const id = headers['x-request-id'];
  return {
    correlationId: typeof id === 'string' && isCorrelationId(id) ? id : undefined,
    traceId: traceIdOf(headers['traceparent']),
  };
}
