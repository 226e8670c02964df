import * as v from 'valibot';

/**
 * Ids by which logs relate a request to others. The client chooses both, so they are never used for look-ups:
 * operations, the audit log and the check against replayed commands use ids that the gateway generates.
 */
export const correlationEntries = {
  /** Id that the client gave the request, or id of the page's request that made this one; absent without either. */
  correlationId: v.optional(v.pipe(v.string(), v.regex(/^[A-Za-z0-9][A-Za-z0-9._:=+/-]{0,127}$/))),
  /** Id of the trace to which the client assigned the request, as in W3C Trace Context. */
  traceId: v.optional(v.pipe(v.string(), v.regex(/^(?!0{32})[0-9a-f]{32}$/))),
};

const CorrelationSchema = v.object(correlationEntries);

export type Correlation = Readonly<v.InferOutput<typeof CorrelationSchema>>;

/** Returns whether a text is a valid correlation id: up to 128 characters, none special in HTTP, logs or shells. */
export function isCorrelationId(text: string): boolean {
  return v.is(correlationEntries.correlationId, text);
}
