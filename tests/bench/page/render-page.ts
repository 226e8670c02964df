import { commandOf, showFigure, type Line, type Run } from './figures.ts';
import { chapterOf, chapters, type Chapter } from './layout.ts';
import { renderMultiples } from './multiples.ts';

const head = `# Performance

How the service compares with something else, with the command of each figure. Ratios within one run mean more than
rates: the load generator, the service and its servers share the cores of one machine, and whatever else ran on it takes
part. Each run below names its commit: what later commits changed is not in its figures.`;

const written = `Written by \`npm run bench\`, which replaces the figures of the files that it runs
([CONTRIBUTING.md](../CONTRIBUTING.md#benchmarks)).`;

const plot = `![CPU milliseconds of each part for one call, beside those of the echo](performance.svg)`;

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

function runSection(run: Run): string {
  const { file, commit, date, machine, loadBefore, lines } = run;
  const { cores, memoryGb, node, postgres, nats, git, hg } = machine;
  const versions = `Node ${node}, Postgres ${postgres}, nats-server ${nats}, Git ${git}, Mercurial ${hg}`;
  const facts = `Commit ${commit}, ${date}; ${cores} cores, ${memoryGb} GB, ${versions}; load average before: ${loadBefore}.`;
  const tests = [...groupBy(lines, ({ test }) => test)];
  return [
    `### ${file.replace('.bench.ts', '')}`,
    `\`\`\`sh\n${commandOf(run)}\n\`\`\``,
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
  const own = chapters.filter(({ study }) => study === undefined).flatMap((chapter) => chapterSection(chapter, runs));
  const studies = chapters.flatMap(({ heading, study }) => (study === undefined ? [] : [`[${heading}](${study})`]));
  const grants = '[grants by functions of the database](studies/performance-grants.md)';
  const elsewhere = `On pages of their own: ${[...studies, grants].join(', ')}.`;
  return `${[head, renderMultiples(runs), `${elsewhere}\n\n${written}`, plot, ...own].join('\n\n')}\n`;
}

/** Renders the pages of docs/studies that have chapters of their own, by their paths below docs. */
export function renderStudies(runs: readonly Run[]): Readonly<Record<string, string>> {
  const pages = chapters.flatMap((chapter) => {
    if (chapter.study === undefined) return [];
    const [, about, ...sections] = chapterSection(chapter, runs);
    if (about === undefined) return [];
    return [[chapter.study, `${[`# ${chapter.heading}`, about, ...sections].join('\n\n')}\n`] as const];
  });
  return Object.fromEntries(pages);
}
