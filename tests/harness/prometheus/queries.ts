import { readFile } from 'node:fs/promises';
import * as v from 'valibot';
import { parse } from 'yaml';

const Panel = v.object({
  title: v.string(),
  targets: v.optional(v.array(v.object({ expr: v.string() })), []),
});
const Dashboard = v.object({ panels: v.array(Panel) });
const Alert = v.object({
  alert: v.string(),
  expr: v.string(),
  labels: v.object({ severity: v.picklist(['critical', 'warning']) }),
  annotations: v.object({ summary: v.string(), runbook: v.string() }),
});
const Alerts = v.object({ groups: v.array(v.object({ rules: v.array(Alert) })) });

export type Alert = v.InferOutput<typeof Alert>;

const infra = new URL('../../../infra/', import.meta.url);

export async function readAlerts(): Promise<Alert[]> {
  const file = v.parse(Alerts, parse(await readFile(new URL('prometheus/alerts.yml', infra), 'utf8')));
  return file.groups.flatMap(({ rules }) => rules);
}

/** Returns the query of an alert, without the comparison that makes an alert of it; null where there is none. */
export function queryOf({ expr }: Pick<Alert, 'expr'>): string | null {
  return /^(.+) (?:==|[<>]=?) [\d.]+$/.exec(expr)?.[1] ?? null;
}

/** Returns all queries of the dashboard by panel, for a window that is as long as the tests' scrapes need. */
export async function readDashboardQueries(): Promise<(readonly [panel: string, query: string])[]> {
  const file = v.parse(Dashboard, JSON.parse(await readFile(new URL('grafana/trunkline.json', infra), 'utf8')));
  return file.panels.flatMap(({ title, targets }) =>
    targets.map(({ expr }) => [title, expr.replaceAll('$__rate_interval', '1m')] as const),
  );
}
