import { expect, it } from 'vitest';
import { findMetricFaults } from './metric-faults.ts';

const metric = (name: string, type: string, series = `${name} 1`, help = 'Help') =>
  `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${series}\n`;

it('reports nothing for metrics that keep the conventions', () => {
  const text = [
    metric('x_calls_total', 'counter', 'x_calls_total{code="ok"} 1'),
    metric('x_call_seconds', 'histogram', 'x_call_seconds_bucket{le="1"} 1\nx_call_seconds_count 1'),
    metric('x_free_bytes', 'gauge'),
  ];
  expect(findMetricFaults(text.join('\n'))).toEqual([]);
});

it.each([
  [metric('x_calls', 'counter'), 'x_calls must end in _total if it is a counter, and only then'],
  [metric('x_handles_total', 'gauge'), 'x_handles_total must end in _total if it is a counter, and only then'],
  [metric('x_free', 'gauge', 'x_free 1', ''), 'x_free has no help'],
  [metric('x_call_milliseconds', 'gauge'), 'x_call_milliseconds is not in a base unit'],
  [metric('x_age_days', 'gauge'), 'x_age_days is not in a base unit'],
  [metric('x_call_ms', 'gauge'), 'x_call_ms abbreviates a unit'],
  [metric('x_gauge', 'gauge'), 'x_gauge has its type in its name'],
  [metric('x_count', 'gauge'), 'x_count has a suffix of histograms'],
  [metric('x_size', 'gauge', 'x_size{le="1"} 1'), 'x_size has a label of histograms'],
  [metric('x:y', 'gauge'), 'x:y has a colon in its name'],
  [metric('x_size', 'gauge', 'x_size{theLane="1"} 1'), 'x_size is not in snake_case'],
])('reports the fault in %j', (text, fault) => {
  expect(findMetricFaults(text)).toEqual([fault]);
});
