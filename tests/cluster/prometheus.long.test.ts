import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type Cluster, startCluster } from '../harness/cluster.ts';
import { eventually } from '../harness/eventually.ts';
import { readOwnMetrics, renderMetricTable } from '../harness/prometheus/metric-table.ts';
import { startMixedLoad } from '../harness/prometheus/mixed-load.ts';
import { queryOf, readAlerts, readDashboardQueries } from '../harness/prometheus/queries.ts';
import { type Prometheus, startPrometheus } from '../harness/prometheus/start-prometheus.ts';
import { expectPart } from '../docs/expect-part.ts';

/** Runs promtool; returns what it finds, which is empty when it finds nothing. */
async function promtool(args: readonly string[], input = ''): Promise<string> {
  const command = process.env['TRUNKLINE_TEST_PROMTOOL'];
  if (!command) throw new Error('npm test has not found promtool');
  const child = spawn(command, [...args], { stdio: 'pipe' });
  // promtool may end before it has read everything.
  child.stdin.on('error', () => {}).end(input);
  const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return code === 0 && errors.trim() === '' ? '' : `${output}${errors}` || `ended with ${String(code)}`;
}

const command = process.env['TRUNKLINE_TEST_PROMETHEUS'];
const delivered = (name: string) => fileURLToPath(new URL(`../../infra/prometheus/${name}`, import.meta.url));

if (!command) console.warn('Prometheus was not found: `npm test` finds or fetches it.');

describe.skipIf(!command)('Prometheus', () => {
  it.each([
    ['check', 'config', 'prometheus.yml'],
    ['check', 'rules', 'alerts.yml'],
    ['test', 'rules', 'alerts.test.yml'],
  ])('promtool %s %s finds nothing in %s', async (act, what, name) => {
    expect(await promtool([act, what, delivered(name)])).toBe('');
  });
});

describe.skipIf(!command)('Prometheus beside a cluster under load', () => {
  let cluster: Cluster;
  let prometheus: Prometheus | undefined;
  let load: Awaited<ReturnType<typeof startMixedLoad>> | undefined;
  const tierOf = (url: string) => (cluster.metricsUrls.indexOf(url) < cluster.gateways.length ? 'gateways' : 'workers');
  const scrape = async (url: string) => (await fetch(url)).text();

  beforeAll(async () => {
    const postgresUrl = inject('postgresUrl');
    cluster = await startCluster({ postgresUrl, gateways: 1, workers: 1 });
    // All calls of the load share a key, of which this gateway takes few.
    const limited = await cluster.startGateway({ TRUNKLINE_RATE_LIMIT: '1', TRUNKLINE_RATE_LIMIT_BURST: '1' });
    const gateways = cluster.metricsUrls.slice(0, cluster.gateways.length);
    prometheus = await startPrometheus(String(command), {
      gateways: [...gateways, `http://127.0.0.1:${String(Object(limited.ready).metricsPort)}/metrics`],
      workers: cluster.metricsUrls.slice(cluster.gateways.length),
    });
    load = await startMixedLoad(cluster, limited.baseUrl);
  }, 180_000);

  afterAll(async () => {
    await load?.stop();
    await prometheus?.close();
    await cluster.stop();
  });

  it(
    'answers each query of the dashboard and of the alerts with data, and evaluates each alert',
    { timeout: 240_000 },
    async () => {
      const alerts = (await readAlerts()).map((alert) => [alert.alert, queryOf(alert) ?? alert.expr] as const);
      let unanswered = [...(await readDashboardQueries()), ...alerts];
      const ask = async () => {
        load?.requireRunning();
        const answers = await Promise.all(unanswered.map(async ([, query]) => (await prometheus?.query(query)) ?? []));
        unanswered = unanswered.filter((_, index) => !answers[index]?.some(Number.isFinite));
        return unanswered;
      };
      await eventually(ask, (rest) => rest.length === 0, 120);
      const isOk = (rules: Readonly<Record<string, string>>) => Object.values(rules).every((state) => state === 'ok');
      const rules = await eventually(async () => (await prometheus?.rules()) ?? {}, isOk, 60);
      expect(Object.keys(rules).toSorted()).toEqual(alerts.map(([name]) => name).toSorted());
    },
  );

  it('promtool finds nothing in the metrics of gateways and workers', async () => {
    const scrapes = await Promise.all(cluster.metricsUrls.map(scrape));
    expect(await Promise.all(scrapes.map((text) => promtool(['check', 'metrics'], text)))).toEqual(
      scrapes.map(() => ''),
    );
  });

  it('docs/metrics.md lists all metrics', async () => {
    await load?.stop();
    const found = await Promise.all(
      cluster.metricsUrls.map(async (url) => [tierOf(url), readOwnMetrics(await scrape(url))] as const),
    );
    expectPart('docs/metrics.md', 'metrics', renderMetricTable(Object.fromEntries(found)));
  });

  it('labels of metrics have few values, and none that clients choose', async () => {
    const texts = await Promise.all(cluster.metricsUrls.map(scrape));
    const series = texts.map((text) => text.split('\n').filter((line) => line.startsWith('trunkline_')));
    for (const lines of series) expect(lines.length).toBeLessThan(5_000);
    expect(series.flat().join('\n')).not.toMatch(/monitored|127\.0\.0\.1|admin"/);
    expect(await readFile(delivered('alerts.yml'), 'utf8')).not.toContain('\t');
  });
});
