export interface ScrapedMetric {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  /** Names of the labels of its series; none without a series. */
  readonly labels: readonly string[];
}

const ofHistograms = new Set(['le']);

/** Reads Trunkline's own metrics from the text of a scrape. */
export function readOwnMetrics(text: string): ScrapedMetric[] {
  const helps = new Map([...text.matchAll(/^# HELP (\S+) (.*)$/gm)].map(([, name = '', help = '']) => [name, help]));
  return [...text.matchAll(/^# TYPE (trunkline_\S+) (\w+)$/gm)].map(([, name = '', type = '']) => {
    const series = text.matchAll(new RegExp(`^${name}(?:_bucket)?\\{([^}]*)\\}`, 'gm'));
    const labels = [...series].flatMap(([, pairs = '']) =>
      [...pairs.matchAll(/(\w+)="/g)].map(([, label = '']) => label),
    );
    const own = [...new Set(labels)].filter((label) => !ofHistograms.has(label));
    return { name, type, help: helps.get(name) ?? '', labels: own.toSorted() };
  });
}

/** Renders the table of all metrics: what gateways report, and what workers do. */
export function renderMetricTable(scrapes: Readonly<Record<string, readonly ScrapedMetric[]>>): string {
  const byName = new Map<string, ScrapedMetric & { tiers: string[] }>();
  for (const [tier, metrics] of Object.entries(scrapes)) {
    for (const metric of metrics) {
      const known = byName.get(metric.name);
      const labels = [...new Set([...(known?.labels ?? []), ...metric.labels])].toSorted();
      const tiers = [...new Set([...(known?.tiers ?? []), tier])];
      byName.set(metric.name, { ...metric, labels, tiers });
    }
  }
  const rows = [...byName.values()]
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .map(
      ({ name, type, help, labels, tiers }) =>
        `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(' ')} | ${tiers.join(', ')} | ${help} |`,
    );
  return ['| metric | type | labels | of | meaning |', '|---|---|---|---|---|', ...rows].join('\n');
}
