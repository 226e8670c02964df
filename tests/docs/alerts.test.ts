import { readFileSync } from 'node:fs';
import { quotas } from '@trunkline/contracts';
import { describe, expect, it } from 'vitest';
import { queryOf, readAlerts, readDashboardQueries } from '../harness/prometheus/queries.ts';

const textOf = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const alerts = await readAlerts();
const sections = [...textOf('docs/running/runbooks.md').matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
  title
    .toLowerCase()
    .replaceAll(/[^\w -]/g, '')
    .replaceAll(' ', '-'),
);
const documented = new Set([...textOf('docs/metrics.md').matchAll(/^\| `(trunkline_\w+)`/gm)].map(([, name]) => name));

/** Returns Trunkline's own metrics in a query, without the suffixes of histograms. */
function metricsIn(query: string): string[] {
  const names = [...query.matchAll(/\btrunkline_\w+/g)].map(([name]) => name);
  return names.map((name) => (documented.has(name) ? name : name.replace(/_(?:bucket|count|sum)$/, '')));
}

describe.each(alerts.map((alert) => [alert.alert, alert] as const))('%s', (name, alert) => {
  it('names its runbook, a section of the manual', () => {
    const [file, section] = alert.annotations.runbook.split('#');
    expect(file).toBe('docs/running/runbooks.md');
    expect(sections).toContain(section);
  });

  it('is a query of documented metrics, a comparison and a number', () => {
    const query = queryOf(alert);
    expect(query).not.toBeNull();
    expect(metricsIn(query ?? '').filter((metric) => !documented.has(metric))).toEqual([]);
  });

  it('is tested with promtool', () => {
    expect(textOf('infra/prometheus/alerts.test.yml')).toContain(`alertname: ${name}\n`);
  });
});

it('every section about an alert has its alert', () => {
  const ofAlerts = [...textOf('docs/running/runbooks.md').matchAll(/^### (Trunkline\w+)$/gm)].map(([, title]) => title);
  expect(ofAlerts).toEqual(expect.arrayContaining(alerts.map(({ alert }) => alert)));
  expect(ofAlerts).toHaveLength(alerts.length);
});

it('the dashboard asks for documented metrics', async () => {
  const queries = await readDashboardQueries();
  expect(queries.length).toBeGreaterThan(50);
  expect(queries.flatMap(([, query]) => metricsIn(query)).filter((name) => !documented.has(name))).toEqual([]);
});

it('the runbook of refused calls says of every quota what is short', () => {
  const [, section = ''] = textOf('docs/running/runbooks.md').split('### TrunklineCallsRefused\n');
  const rows = (section.split('\n### ')[0] ?? '').split('\n').filter((line) => line.startsWith('| `'));
  const named = rows.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name = '']) => name));
  expect(named.toSorted()).toEqual(quotas.toSorted());
});
