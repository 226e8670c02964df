import * as v from 'valibot';

/**
 * By what logs relate a request to others. The caller chooses both, so nothing is ever looked up by them: operations,
 * the audit log and the check against replayed commands have ids that the gateway makes.
 */
export const correlationEntries = {
  /** The id that the caller gave the request, or that of the page for which it is made; absent when there is neither. */
  correlationId: v.optional(v.pipe(v.string(), v.regex(/^[A-Za-z0-9][A-Za-z0-9._:=+/-]{0,127}$/))),
  /** The trace that the caller says the request belongs to, as in W3C Trace Context. */
  traceId: v.optional(v.pipe(v.string(), v.regex(/^(?!0{32})[0-9a-f]{32}$/))),
};

const CorrelationSchema = v.object(correlationEntries);

export type Correlation = Readonly<v.InferOutput<typeof CorrelationSchema>>;

/** Whether a text may be the id of a request: up to 128 characters that mean nothing to HTTP, logs or shells. */
export function isCorrelationId(text: string): boolean {
  return v.is(correlationEntries.correlationId, text);
}
