import { showFigure, type Line, type Run } from './figures.ts';
import { chapterOf, chapters, type Chapter } from './layout.ts';

const head = `# Performance

Written by \`npm run bench\`, which replaces the figures of the files that it runs
([CONTRIBUTING.md](../CONTRIBUTING.md#benchmarks)). Ratios within one run mean more than rates: the load generator, the
service and its servers share the cores of one machine, and whatever else ran on it takes part.

![CPU milliseconds of each part for one call, beside those of the echo](performance.svg)`;

const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;

/** Renders lines with the same figures as one table. */
function table(lines: readonly Line[]): string {
  const names = Object.keys(lines[0]?.figures ?? {});
  const cells = ({ what, figures }: Line) => {
    return [what, ...names.map((name) => (figures[name] === undefined ? '' : showFigure(figures[name])))];
  };
  return [row(['', ...names]), row(['---', ...names.map(() => '---:')]), ...lines.map((line) => row(cells(line)))].join(
    '\n',
  );
}

/** Returns the values by their key, in the order of the first of each. */
function groupBy<T>(values: readonly T[], keyOf: (value: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const value of values) groups.set(keyOf(value), [...(groups.get(keyOf(value)) ?? []), value]);
  return groups;
}

const figureNames = ({ figures }: Line) => Object.keys(figures).join('|');
/** Returns a test's name without the rows of the security checklist. */
const titleOf = (test: string) => test.replace(/^(?:[A-E]\d{1,2} )+/, '');

function testSection([test, lines]: [string, Line[]]): string {
  return [`**${titleOf(test)}**`, ...[...groupBy(lines, figureNames).values()].map(table)].join('\n\n');
}

const quoted = (value: string) => (/^[\w.,-]+$/.test(value) ? value : `'${value}'`);

function runSection({ file, seed, commit, date, machine, loadBefore, variables, lines }: Run): string {
  const { cores, memoryGb, node, postgres, nats, git, hg } = machine;
  const set = { ...variables, ...(seed !== null && { TRUNKLINE_TEST_SEED: String(seed) }) };
  const settings = Object.entries(set).map(([name, value]) => `${name}=${quoted(value)}`);
  const command = [...settings, `npm run bench -- tests/bench/${file}`].join(' ');
  const versions = `Node ${node}, Postgres ${postgres}, nats-server ${nats}, Git ${git}, Mercurial ${hg}`;
  const facts = `Commit ${commit}, ${date}; ${cores} cores, ${memoryGb} GB, ${versions}; load average before: ${loadBefore}.`;
  const tests = [...groupBy(lines, ({ test }) => test)];
  return [
    `### ${file.replace('.bench.ts', '')}`,
    `\`\`\`sh\n${command}\n\`\`\``,
    facts,
    ...tests.map(testSection),
  ].join('\n\n');
}

function chapterSection(chapter: Chapter, runs: readonly Run[]): string[] {
  const own = runs.filter(({ file }) => chapterOf(file) === chapter);
  return own.length === 0 ? [] : [`## ${chapter.heading}`, chapter.about, ...own.map(runSection)];
}

/** Renders docs/performance.md. */
export function renderPage(runs: readonly Run[]): string {
  return `${[head, ...chapters.flatMap((chapter) => chapterSection(chapter, runs))].join('\n\n')}\n`;
}
