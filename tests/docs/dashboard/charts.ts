/** A query of the dashboard; the legend names the labels of a series. */
export interface Query {
  readonly expr: string;
  readonly legend: string;
}

/** A panel of the dashboard: a chart over time or, of a figure, its present value. */
export interface Chart {
  readonly title: string;
  /** What the chart tells an operator, where its title does not. */
  readonly description?: string;
  /** Unit of Grafana. */
  readonly unit: string;
  readonly queries: readonly Query[];
  readonly isFigure?: boolean;
}

export interface Row {
  readonly title: string;
  readonly charts: readonly Chart[];
}

const gateway = 'job="trunkline-gateway"';
const window = '$__rate_interval';

/** The rate of a counter. */
export const rate = (counter: string) => `rate(${counter}[${window}])`;

/** A part of the observations of a histogram, such as the 99 % of the shortest, by labels. */
export function quantile(part: number, histogram: string, by: readonly string[] = [], where = ''): string {
  const series = `${histogram}_bucket${where === '' ? '' : `{${where}}`}`;
  return `histogram_quantile(${part}, sum by (${['le', ...by].join(', ')}) (${rate(series)}))`;
}

const single = (expr: string, legend: string): readonly Query[] => [{ expr, legend }];

/** A chart of one query. */
export function chart(title: string, unit: string, expr: string, legend: string, description?: string): Chart {
  return { title, unit, queries: single(expr, legend), ...(description !== undefined && { description }) };
}

/** A panel with the present value of a query. */
export function figure(title: string, unit: string, expr: string, legend: string): Chart {
  return { title, unit, queries: single(expr, legend), isFigure: true };
}

export const ofGateways = gateway;
