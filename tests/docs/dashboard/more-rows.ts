import { chart, quantile, rate, type Row } from './charts.ts';

const storages: Row = {
  title: 'Storages',
  charts: [
    chart(
      'Free space',
      'percentunit',
      'min by (storage) (trunkline_storage_free_bytes) / min by (storage) (trunkline_storage_size_bytes)',
      '{{storage}}',
    ),
    chart('State', 'short', 'min by (storage, reason) (trunkline_storage_ok)', '{{storage}} {{reason}}'),
    chart('Repositories', 'short', 'sum by (storage) (trunkline_storage_repositories)', '{{storage}}'),
    chart('Recorded size', 'bytes', 'sum by (storage) (trunkline_storage_repository_bytes)', '{{storage}}'),
    chart('Damaged repositories', 'short', 'sum by (storage) (trunkline_storage_damaged_repositories)', '{{storage}}'),
    chart(
      'Repositories that could not be read',
      'short',
      'sum by (type) (increase(trunkline_unreadable_answers_total[10m]))',
      '{{type}}',
    ),
    chart('Copies under way', 'short', 'sum by (length) (trunkline_copy_actions_open)', '{{length}}'),
  ],
};

const transfers: Row = {
  title: 'Clones, fetches, pushes and remotes',
  charts: [
    chart('Data ports', 'Bps', `sum by (direction) (${rate('trunkline_data_bytes_total')})`, '{{direction}}'),
    chart('Open transfers', 'short', 'sum by (instance) (trunkline_data_transfers_open)', '{{instance}}'),
    chart(
      'Answers to clones and fetches',
      'reqps',
      `sum by (outcome) (${rate('trunkline_wire_cache_requests_total')})`,
      '{{outcome}}',
    ),
    {
      title: 'Files of kept answers',
      unit: 'bytes',
      queries: [
        { expr: 'sum(trunkline_wire_cache_bytes{kind="file"})', legend: 'kept' },
        { expr: 'sum(trunkline_wire_cache_max_bytes)', legend: 'limit' },
      ],
    },
    chart('Received from remotes', 'Bps', `sum(${rate('trunkline_egress_received_bytes_total')})`, 'bytes'),
    chart('Failures of remotes', 'ops', `sum by (reason) (${rate('trunkline_egress_failures_total')})`, '{{reason}}'),
  ],
};

const database: Row = {
  title: 'Database and caches',
  charts: [
    chart(
      'Queries of gateways: 99 %',
      's',
      quantile(0.99, 'trunkline_database_query_seconds', ['queries']),
      '{{queries}}',
    ),
    chart(
      'Pending queries of gateways',
      'short',
      'sum by (queries) (trunkline_database_queries_pending)',
      '{{queries}}',
    ),
    chart('Waits for a connection: 99 %', 's', quantile(0.99, 'trunkline_transaction_wait_seconds'), 'transactions'),
    chart('Transactions', 'short', 'sum by (state) (trunkline_transactions)', '{{state}}'),
    chart(
      'Found in caches',
      'percentunit',
      `sum by (cache) (${rate('trunkline_cache_requests_total{outcome!="miss"}')}) / sum by (cache) (${rate('trunkline_cache_requests_total')})`,
      '{{cache}}',
    ),
    chart('Memory of caches', 'bytes', 'sum by (cache) (trunkline_cache_bytes)', '{{cache}}'),
    chart('Entries of caches', 'short', 'sum by (cache) (trunkline_cache_entries)', '{{cache}}'),
  ],
};

const ofService = '{job=~"trunkline-.*"}';
const ofProcess = '{{job}} {{instance}}';

const processes: Row = {
  title: 'Processes',
  charts: [
    chart('Processor', 'percentunit', rate(`process_cpu_seconds_total${ofService}`), ofProcess),
    chart('Wait for a core', 'percentunit', rate('trunkline_processor_wait_seconds_total'), ofProcess),
    chart(
      'Processor time of hg and git',
      'percentunit',
      rate('trunkline_child_cpu_seconds_total{job="trunkline-worker"}'),
      ofProcess,
      'A process counts when it has ended.',
    ),
    chart('Event loop: 99 % of the delays', 's', `nodejs_eventloop_lag_p99_seconds${ofService}`, ofProcess),
    chart('Memory', 'bytes', `process_resident_memory_bytes${ofService}`, ofProcess),
    {
      title: 'Memory of hg and git',
      unit: 'bytes',
      queries: [
        { expr: 'trunkline_child_memory_bytes', legend: '{{instance}}' },
        { expr: 'trunkline_child_memory_max_bytes', legend: 'limit of {{instance}}' },
      ],
    },
    {
      title: 'hg and git processes',
      unit: 'short',
      queries: [
        { expr: 'sum by (instance) (trunkline_child_processes)', legend: '{{instance}}' },
        {
          expr: 'sum by (instance) (increase(trunkline_child_processes_killed_total[10m]))',
          legend: 'killed by {{instance}} in 10 minutes',
        },
      ],
    },
    chart('Started hg and git processes', 'ops', rate('trunkline_child_processes_started_total'), '{{instance}}'),
    chart('File descriptors', 'short', `process_open_fds${ofService}`, ofProcess),
  ],
};

export const stateRows: readonly Row[] = [storages, transfers, database, processes];
