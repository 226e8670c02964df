import { Counter, Gauge, type Registry } from 'prom-client';

/** Upper bounds of the histograms of times, in seconds: of a look into memory up to the longest transfer. */
export const latencyBuckets = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120, 600, 3600,
];

/** One series of a metric. */
export interface Series {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Observed {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
  /** Returns all series of the metric; is called at each scrape. */
  readonly read: () => readonly Series[] | Promise<readonly Series[]>;
}

/** Registers a gauge whose series are read at each scrape. */
export function observeGauge(registry: Registry, { name, help, labels = [], read }: Observed): void {
  const gauge = new Gauge({
    name,
    help,
    labelNames: [...labels],
    registers: [],
    async collect() {
      const series = await read();
      // Otherwise series that are gone would stay.
      gauge.reset();
      for (const one of series) gauge.set({ ...one.labels }, one.value);
    },
  });
  registry.registerMetric(gauge);
}

/** Registers a counter whose sums are kept elsewhere, and read at each scrape. */
export function observeCounter(registry: Registry, { name, help, labels = [], read }: Observed): void {
  const counter = new Counter({
    name,
    help,
    labelNames: [...labels],
    registers: [],
    async collect() {
      const series = await read();
      counter.reset();
      for (const one of series) counter.inc({ ...one.labels }, one.value);
    },
  });
  registry.registerMetric(counter);
}
