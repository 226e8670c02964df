import { ExportResultCode, type ExportResult } from '@opentelemetry/core';
import type { SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { Logger } from '../logger.ts';

/** Returns the code of an error, such as `ECONNREFUSED` or 503: its message may have the collector's URL or answer. */
function codeOf(error: Error | undefined): string | number {
  const code = error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' || typeof code === 'number' ? code : 'unknown';
}

/** Logs when the collector begins to take no spans, and when it takes them again; not each batch in between. */
export function reportingExporter(exporter: SpanExporter, logger: Pick<Logger, 'info' | 'warn'>): SpanExporter {
  let isFailing = false;
  const note = ({ code, error }: ExportResult) => {
    const failed = code !== ExportResultCode.SUCCESS;
    if (failed === isFailing) return;
    isFailing = failed;
    if (failed) logger.warn({ code: codeOf(error) }, 'traces are lost: the collector does not take them');
    else logger.info('the collector takes traces again');
  };
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        note(result);
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    async forceFlush() {
      await exporter.forceFlush?.();
    },
  };
}
