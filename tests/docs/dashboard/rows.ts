import { chart, figure, ofGateways, quantile, rate, type Row } from './charts.ts';

const callsOf = (where = '') => `trunkline_calls_total{${ofGateways}${where}}`;

const now: Row = {
  title: 'Now',
  charts: [
    figure('Processes', 'short', 'sum by (job) (up{job=~"trunkline-.*"})', '{{job}}'),
    figure('Ready', 'short', 'sum by (job) (trunkline_ready)', '{{job}}'),
    figure('Releases', 'short', 'count by (version, role) (trunkline_build_info)', '{{version}} {{role}}'),
    figure('Calls', 'reqps', `sum(${rate(callsOf())})`, 'calls and pages'),
    figure('Errors', 'percentunit', `sum(${rate(callsOf(', code!="ok"'))}) / sum(${rate(callsOf())})`, 'share'),
    figure('Unserved lanes', 'short', 'count(trunkline_lane_served == 0) or vector(0)', 'lanes'),
  ],
};

const calls: Row = {
  title: 'Calls',
  charts: [
    chart('Calls by lane', 'reqps', `sum by (lane) (${rate(callsOf())})`, '{{lane}}', 'Pages have the lane `none`.'),
    chart('Calls by method', 'reqps', `topk(10, sum by (method) (${rate(callsOf())}))`, '{{method}}'),
    chart('Errors by code', 'reqps', `sum by (code) (${rate(callsOf(', code!="ok"'))})`, '{{code}}'),
    {
      title: 'Time of a call',
      unit: 's',
      description: 'In gateways: with all waits and repeated requests.',
      queries: [0.5, 0.9, 0.99].map((part) => ({
        expr: quantile(part, 'trunkline_call_seconds', [], ofGateways),
        legend: `${part * 100} %`,
      })),
    },
    chart('99 % by lane', 's', quantile(0.99, 'trunkline_call_seconds', ['lane'], ofGateways), '{{lane}}'),
    chart(
      'Slowest methods in workers',
      's',
      `topk(10, ${quantile(0.99, 'trunkline_call_seconds', ['method'], 'job="trunkline-worker"')})`,
      '{{method}}',
      '99 % of the calls are shorter.',
    ),
    chart(
      'Internal errors',
      'short',
      'sum by (instance) (increase(trunkline_internal_errors_total[10m]))',
      '{{instance}}',
    ),
    chart(
      'Refused commands and tickets',
      'short',
      'sum by (instance) (increase(trunkline_commands_refused_total[10m])) + sum by (instance) (increase(trunkline_data_requests_refused_total[10m]))',
      '{{instance}}',
      'Forged, altered, outdated or sent twice.',
    ),
    chart('Connections of clients', 'short', 'sum by (instance) (trunkline_http_connections)', '{{instance}}'),
  ],
};

const queues: Row = {
  title: 'Slots, queues and quotas',
  charts: [
    chart(
      'Busy slots',
      'percentunit',
      'sum by (lane) (trunkline_lane_slots_busy) / sum by (lane) (trunkline_lane_slots)',
      '{{lane}}',
      'Add workers of a lane whose slots stay busy.',
    ),
    chart('Calls that wait for a slot', 'short', 'sum by (lane) (trunkline_lane_calls_waiting)', '{{lane}}'),
    chart(
      'Refusals by quota',
      'reqps',
      `sum by (job, quota) (${rate('trunkline_refusals_total')}) > 0`,
      '{{job}} {{quota}}',
      'Gateways send again what workers refuse.',
    ),
    {
      title: 'Calls and requests that wait in gateways',
      unit: 'short',
      queries: [
        { expr: 'sum(trunkline_calls_waiting)', legend: 'calls for busy repositories' },
        { expr: 'sum(trunkline_requests_waiting)', legend: 'requests of heavy addresses' },
      ],
    },
    chart(
      'Refused connections',
      'reqps',
      `sum by (limit) (${rate('trunkline_http_connections_refused_total')})`,
      'limit of {{limit}}',
    ),
    chart('Lanes that are served', 'short', 'min by (lane, storage) (trunkline_lane_served)', '{{lane}} {{storage}}'),
  ],
};

const bus: Row = {
  title: 'Bus',
  charts: [
    chart('Round trips: 99 %', 's', quantile(0.99, 'trunkline_bus_request_seconds', ['lane']), '{{lane}}'),
    chart('Answers', 'reqps', `sum by (outcome) (${rate('trunkline_bus_requests_total')})`, '{{outcome}}'),
    chart('Repeated requests', 'reqps', `sum by (reason) (${rate('trunkline_call_retries_total')})`, '{{reason}}'),
    chart('Connected', 'short', 'min by (job, instance) (trunkline_bus_connected)', '{{job}} {{instance}}'),
    chart(
      'Reconnections',
      'short',
      'sum by (instance) (increase(trunkline_bus_reconnections_total[10m]))',
      '{{instance}}',
    ),
    chart(
      'Dependencies that answer',
      'short',
      'min by (job, dependency) (trunkline_dependency_answers)',
      '{{job}} {{dependency}}',
    ),
  ],
};

const operations: Row = {
  title: 'Operations',
  charts: [
    chart('Not ended, by state', 'short', 'sum by (state) (trunkline_operations)', '{{state}}'),
    chart('Not ended, by kind', 'short', 'sum by (kind) (trunkline_operations)', '{{kind}}'),
    chart('Age of the oldest', 's', 'max by (kind) (trunkline_operations_oldest_seconds)', '{{kind}}'),
    chart('Time: 90 %', 's', quantile(0.9, 'trunkline_operation_seconds', ['kind']), '{{kind}}'),
    chart('Ended', 'ops', `sum by (kind) (${rate('trunkline_operation_seconds_count')})`, '{{kind}}'),
    chart(
      'Failed',
      'ops',
      `sum by (kind, reason) (${rate('trunkline_operations_failed_total')}) > 0`,
      '{{kind}}: {{reason}}',
    ),
  ],
};

export const callRows: readonly Row[] = [now, calls, queues, bus, operations];
