interface Metric {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly labels: readonly string[];
}

const types = ['counter', 'gauge', 'histogram', 'summary', 'untyped'];
const baseUnits = ['ampere', 'byte', 'celsius', 'gram', 'joule', 'kelvin', 'meter', 'metre', 'second', 'volt'];
const prefixes = [
  'pico',
  'nano',
  'micro',
  'milli',
  'centi',
  'deci',
  'deca',
  'hecto',
  'kilo',
  'kibi',
  'mega',
  'mibi',
  'giga',
  'gibi',
  'tera',
  'tebi',
  'peta',
  'pebi',
];
const otherUnits = [
  'minute',
  'hour',
  'day',
  'week',
  'bit',
  'fahrenheit',
  'inch',
  'yard',
  'mile',
  'foot',
  'ounce',
  'pound',
  'calorie',
];
const derived = new Set([...prefixes.flatMap((prefix) => baseUnits.map((unit) => prefix + unit)), ...otherUnits]);
const abbreviations = new Set(['s', 'ms', 'us', 'ns', 'sec', 'b', 'kb', 'mb', 'gb', 'tb', 'pb', 'm', 'h', 'd']);

function readMetrics(text: string): Metric[] {
  const helps = new Map([...text.matchAll(/^# HELP (\S+) ?(.*)$/gm)].map(([, name = '', help = '']) => [name, help]));
  return [...text.matchAll(/^# TYPE (\S+) (\w+)$/gm)].map(([, name = '', type = '']) => {
    const series = new RegExp(`^${name}(?:_bucket|_sum|_count)?\\{([^}]*)\\}`, 'gm');
    const labels = [...text.matchAll(series)].flatMap(([, pairs = '']) =>
      [...pairs.matchAll(/(\w+)="/g)].map(([, label = '']) => label),
    );
    return { name, type, help: helps.get(name) ?? '', labels: [...new Set(labels)] };
  });
}

function faultsOf({ name, type, help, labels }: Metric): string[] {
  const words = name.split('_');
  const isDistribution = type === 'histogram' || type === 'summary';
  const rules: [boolean, string][] = [
    [help === '', 'has no help'],
    [(type === 'counter') !== name.endsWith('_total'), 'must end in _total if it is a counter, and only then'],
    [words.some((word) => derived.has(word.replace(/s$/, ''))), 'is not in a base unit'],
    [words.some((word) => abbreviations.has(word)), 'abbreviates a unit'],
    [words.some((word) => types.includes(word)), 'has its type in its name'],
    [!isDistribution && /_(bucket|count|sum)$/.test(name), 'has a suffix of histograms'],
    [type !== 'histogram' && labels.includes('le'), 'has a label of histograms'],
    [type !== 'summary' && labels.includes('quantile'), 'has a label of summaries'],
    [name.includes(':'), 'has a colon in its name'],
    [/[a-z][A-Z]/.test([name, ...labels].join(' ')), 'is not in snake_case'],
  ];
  return rules.filter(([broken]) => broken).map(([, fault]) => `${name} ${fault}`);
}

/** Returns the faults that `promtool check metrics` would report. */
export function findMetricFaults(text: string): string[] {
  return readMetrics(text).flatMap(faultsOf);
}
