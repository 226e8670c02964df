import type { IncomingHttpHeaders } from 'node:http';
import { isCorrelationId, type Correlation } from '@trunkline/contracts';

const version00 = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;
/** Later versions begin alike and may go on. */
const laterVersion = /^(?!00|ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-.{0,128})?$/;

function traceIdOf(traceparent: unknown): string | undefined {
  if (typeof traceparent !== 'string') return undefined;
  return (version00.exec(traceparent) ?? laterVersion.exec(traceparent))?.[1];
}

/** The caller's `X-Request-Id` and the trace of its `traceparent`; a malformed one, or one sent twice, counts as absent. */
export function readCorrelation(headers: IncomingHttpHeaders): Correlation {
  const id = headers['x-request-id'];
  return {
    correlationId: typeof id === 'string' && isCorrelationId(id) ? id : undefined,
    traceId: traceIdOf(headers['traceparent']),
  };
}
