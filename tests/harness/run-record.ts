import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';

/** What a run records of a test file. */
export interface FileRecord {
  readonly project: string;
  /** From the first hook to the last one, in seconds; loading the modules of the file is in it. */
  readonly wallSeconds: number;
  /** Of the processes that the file started and ended, too, but not of clusters that it shares with other files. */
  readonly processorSeconds: number;
  /** Names of the tests that ran, with their suites. */
  readonly tests: readonly string[];
}

/** Where a run keeps its records, by path of the file; `tests/baseline/keep.mjs` reads them. */
const recordPath = `.bootstrap/test-run-${process.env['TRUNKLINE_TEST_TIER'] ?? 'all'}.json`;

const slowestShown = 30;
const round = (seconds: number) => Math.round(seconds * 10) / 10;

function recordOf(module: TestModule): FileRecord {
  const { duration, collectDuration, setupDuration } = module.diagnostic();
  const tests = [...module.children.allTests()].filter((test) => test.result().state !== 'skipped');
  return {
    project: module.project.name,
    wallSeconds: round((duration + collectDuration + setupDuration) / 1000),
    processorSeconds: module.meta().processorSeconds ?? 0,
    tests: tests.map(({ fullName }) => fullName),
  };
}

/** Returns the lines with the files that took longest, in seconds by the clock and by the processors. */
export function slowestLines(records: Readonly<Record<string, FileRecord>>): string[] {
  const slowest = Object.entries(records).toSorted(([, a], [, b]) => b.wallSeconds - a.wallSeconds);
  const shown = slowest.slice(0, slowestShown).filter(([, { wallSeconds }]) => wallSeconds >= 1);
  if (shown.length === 0) return [];
  const sum = (of: 'wallSeconds' | 'processorSeconds') =>
    Math.round(slowest.reduce((all, [, record]) => all + record[of], 0));
  return [
    `The ${shown.length} slowest of ${slowest.length} files; all together ${sum('wallSeconds')} s, processors ${sum('processorSeconds')} s:`,
    ...shown.map(
      ([path, { wallSeconds, processorSeconds }]) =>
        `${wallSeconds.toFixed(1).padStart(7)} s, processors ${processorSeconds.toFixed(1).padStart(6)} s  ${path}`,
    ),
  ];
}

/** Vitest reporter that prints the slowest files at the end, and keeps durations and names of the tests in `recordPath`. */
export default class RunRecord implements Reporter {
  readonly #records: Record<string, FileRecord> = {};
  #root = process.cwd();

  onInit({ config }: { readonly config: { readonly root: string } }): void {
    this.#root = config.root;
  }

  onTestModuleEnd(module: TestModule): void {
    this.#records[relative(this.#root, module.moduleId)] = recordOf(module);
  }

  onTestRunEnd(): void {
    const path = join(this.#root, recordPath);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, JSON.stringify(this.#records));
    const lines = slowestLines(this.#records);
    process.prependOnceListener('exit', () => process.stdout.write(lines.map((line) => `${line}\n`).join('')));
  }
}
