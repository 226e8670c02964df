import { beforeEach, type RunnerTask, type RunnerTestCase, type TestOptions } from 'vitest';
import { byForm } from './long-form.ts';
import { chosenSeed, seededRandom, someOf } from './random.ts';

const seed = chosenSeed();
const skipReason = `left out by the draw; seed ${seed}; TRUNKLINE_TEST_LONG=1 runs it`;

declare module 'vitest' {
  interface TaskMeta {
    /** Why the test is skipped, where it is skipped by its options, which have no other way to say it. */
    skipReason?: string;
  }
}

/** Returns the cases of this run: all, or, in a short run, as many as `count` says, which the seed draws in their order. */
export function drawCases<T>(cases: readonly T[], count: number): readonly T[] {
  const drawn = new Set(someOf(seededRandom(seed, 0), cases, count));
  return byForm(
    cases.filter((one) => drawn.has(one)),
    cases,
  );
}

/** Returns the function that gives the options of each of the named tests or suites: a short run skips those that the seed does not draw. */
export function drawNamed<T extends string>(names: readonly T[], count: number): (name: T) => TestOptions {
  const drawn = drawCases(names, count);
  return (name) => (drawn.includes(name) ? {} : { skip: true, meta: { skipReason } });
}

const codeOf = (name: string) => Buffer.from(name).reduce((code, byte) => Math.imul(code, 31) + byte, 7);

/** Returns whether the test, or a suite around it, is named by a row of the security checklist. */
function isOfChecklist({ name, suite }: RunnerTask): boolean {
  return /^[A-F]\d+ /.test(name) || (suite !== undefined && isOfChecklist(suite));
}

function testsIn(task: RunnerTask): RunnerTestCase[] {
  if (task.mode === 'skip' || task.mode === 'todo') return [];
  return task.type === 'suite' ? task.tasks.flatMap(testsIn) : [task];
}

/** Returns whether a short run has this one of the tests of a file. */
function isDrawn(task: RunnerTestCase, tests: readonly RunnerTestCase[], every: number): boolean {
  const sameName = tests.filter(({ name }) => name === task.name);
  if (sameName.length === 1 && isOfChecklist(task)) return true;
  const first = seededRandom(seed, codeOf(task.name)).below(every);
  return (sameName.indexOf(task) + first) % every === 0;
}

/**
 * Has a short run skip tests of the file that calls this, before hooks of later calls. Of tests with the same name, such
 * as those of git and Mercurial, each `every`th runs. A test whose name no other has runs in one of `every` seeds, or in
 * all of them when a row of the security checklist names it.
 */
export function drawTests(every: number): void {
  let tests: RunnerTestCase[] | undefined;
  beforeEach(({ task, skip }) => {
    // Read before the first is skipped, which then has the mode of tests that never run.
    tests ??= testsIn(task.file);
    skip(byForm(!isDrawn(task, tests, every), false), skipReason);
  });
}
