import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import { expect, it } from 'vitest';
import { reportingExporter } from './otel-tracing.ts';

it('reports once that the collector takes no spans, and once that it takes them again', () => {
  const results: ExportResult[] = [];
  const lines: unknown[] = [];
  const log = (...line: unknown[]) => void lines.push(line);
  const exporter = reportingExporter(
    { export: (_spans, done) => done(results.shift() ?? { code: ExportResultCode.SUCCESS }), shutdown: async () => {} },
    { info: log, warn: log },
  );
  const refused = Object.assign(new Error('connect to http://user:password@collector'), { code: 'ECONNREFUSED' });
  const failed = { code: ExportResultCode.FAILED, error: refused };
  results.push({ code: ExportResultCode.SUCCESS }, failed, failed);
  const codes: number[] = [];
  for (let batch = 0; batch < 5; batch += 1) exporter.export([], ({ code }) => void codes.push(code));
  expect(codes).toEqual([0, 1, 1, 0, 0]);
  expect(lines).toEqual([
    [{ code: 'ECONNREFUSED' }, 'traces are lost: the collector does not take them'],
    ['the collector takes traces again'],
  ]);
});
