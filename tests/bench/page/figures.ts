import * as v from 'valibot';

/** A figure of several rounds: the median, and the lowest and highest round. */
const SpreadSchema = v.strictObject({ median: v.number(), low: v.number(), high: v.number() });
export type Spread = v.InferOutput<typeof SpreadSchema>;

const FigureSchema = v.union([v.number(), SpreadSchema]);
export type Figure = v.InferOutput<typeof FigureSchema>;
export type Figures = Readonly<Record<string, Figure>>;

/** One line of figures, as a test reports it. */
const LineSchema = v.strictObject({ test: v.string(), what: v.string(), figures: v.record(v.string(), FigureSchema) });
export type Line = v.InferOutput<typeof LineSchema>;

const MachineSchema = v.strictObject({
  cores: v.number(),
  memoryGb: v.number(),
  node: v.string(),
  postgres: v.string(),
  nats: v.string(),
  git: v.string(),
  hg: v.string(),
});
export type Machine = v.InferOutput<typeof MachineSchema>;

/** What one file of benchmarks measured when it last ran. */
const RunSchema = v.strictObject({
  /** Name below tests/bench. */
  file: v.string(),
  date: v.string(),
  commit: v.string(),
  machine: MachineSchema,
  /** Average number of processes that ran or wanted to run in the minute before. */
  loadBefore: v.number(),
  /** Variables that chose the form of the run. */
  variables: v.record(v.string(), v.string()),
  /** Seed of the samples; null when nothing is sampled. */
  seed: v.nullable(v.number()),
  lines: v.array(LineSchema),
});
export type Run = v.InferOutput<typeof RunSchema>;

const RecordedSchema = v.strictObject({ file: v.string(), seed: v.nullable(v.number()), line: LineSchema });
/** A line as it is handed from the process that measures to the one that writes the page. */
export type Recorded = v.InferOutput<typeof RecordedSchema>;

export const parseRuns = (text: string): Run[] => v.parse(v.array(RunSchema), JSON.parse(text));
export const parseRecorded = (text: string): Recorded => v.parse(RecordedSchema, JSON.parse(text));

/** Returns the median and the range of the figures of several rounds, of which some may have measured nothing. */
export function spreadOf(figures: readonly number[]): Spread {
  const sorted = figures.filter((figure) => !Number.isNaN(figure)).toSorted((a, b) => a - b);
  const at = (index: number) => sorted[index] ?? Number.NaN;
  return { median: at(Math.floor(sorted.length / 2)), low: at(0), high: at(sorted.length - 1) };
}

const quoted = (value: string) => (/^[\w.,-]+$/.test(value) ? value : `'${value}'`);

/** Returns the command that makes a run once more. */
export function commandOf({ file, seed, variables }: Run): string {
  const set = { ...variables, ...(seed !== null && { TRUNKLINE_TEST_SEED: String(seed) }) };
  const settings = Object.entries(set).map(([name, value]) => `${name}=${quoted(value)}`);
  return [...settings, `npm run bench -- tests/bench/${file}`].join(' ');
}

/** Shows a figure with three digits, a spread as `median (lowest–highest)`. */
export function showFigure(figure: Figure): string {
  if (typeof figure === 'number') return showNumber(figure);
  return `${showNumber(figure.median)} (${showNumber(figure.low)}–${showNumber(figure.high)})`;
}

function showNumber(value: number): string {
  const rounded = Number(value.toPrecision(3));
  return rounded >= 1_000 ? rounded.toLocaleString('en-US') : String(rounded);
}
