import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { createClient } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { findMetricFaults } from '../harness/metric-faults.ts';

let cluster: Cluster;

beforeAll(async () => {
  cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 1, workers: 1 });
  const admin = createClient(cluster.baseUrl, cluster.adminKey);
  await admin.result('create_repo', { repo_name: 'x', repo_type: 'git' });
});
afterAll(() => cluster.stop());

const own = async (url: string) => {
  const text = await (await fetch(url)).text();
  return { text, names: [...text.matchAll(/^# TYPE (trunkline_\w+) /gm)].map(([, name]) => name) };
};

it('the metrics of gateways and workers keep the conventions of Prometheus', async () => {
  const [gateway, worker] = await Promise.all(cluster.metricsUrls.map(own));
  expect(gateway?.names).toEqual(expect.arrayContaining(['trunkline_lane_served', 'trunkline_requests_waiting']));
  expect(worker?.names).toContain('trunkline_lane_slots_busy');
  expect(worker?.text).toMatch(/^trunkline_child_memory_bytes \d+$/m);
  expect(worker?.text).toMatch(/^trunkline_child_memory_max_bytes [1-9]\d*$/m);
  expect([gateway, worker].flatMap((one) => findMetricFaults(one?.text ?? ''))).toEqual([]);
});
