import { relative } from 'node:path';

function notRunLine(project, { count, open }) {
  if (open.size === 0) return [];
  return [`not run to the end: ${open.size} of ${count} files of ${project}: ${[...open].join(', ')}`];
}

function firstLine(text) {
  return text.split('\n', 1)[0];
}

/**
 * Vitest reporter that ends the output with the line `N passed, N failed`, after the seed, the reasons of skipped tests, the
 * tests that passed at their second attempt only, with the error of the first, and, when the run was cut off, the files
 * that were not run to their end.
 */
export default class CountReporter {
  #passed = 0;
  #failed = 0;
  #skipped = [];
  /** By file: the first line that it has warned of while it was loaded, as files do that leave tests out. */
  #warned = new Map();
  #flaky = [];
  /** Whether the run is limited to tests of certain names: the other tests are then not reported as skipped. */
  #isByName = false;
  /** By project: the number of its files in this run, and the paths of files whose tests have not all been run. */
  #projects = new Map();

  onInit({ config }) {
    this.#isByName = config.testNamePattern !== undefined;
    // Printed at the exit of the process, because other reporters and tear-downs print after the tests.
    process.once('exit', (code) => {
      const notRun = [...this.#projects].flatMap(([name, files]) => notRunLine(name, files));
      const failed = this.#failed === 0 && (code !== 0 || notRun.length > 0) ? 1 : this.#failed;
      const seed = process.env['TRUNKLINE_TEST_SEED'];
      const seedLines = seed === undefined ? [] : [`TRUNKLINE_TEST_SEED=${seed} repeats the same cases`];
      const lines = [
        ...seedLines,
        ...this.#skipped,
        ...this.#flaky,
        ...notRun,
        `${this.#passed} passed, ${failed} failed`,
      ];
      process.stdout.write(`${lines.join('\n')}\n`);
      if (failed > 0 && code === 0) process.exitCode = 1;
    });
  }

  onTestRunStart(specifications) {
    for (const { project, moduleId } of specifications) {
      const files = this.#projects.get(project.name) ?? { count: 0, open: new Set() };
      files.open.add(relative(project.config.root, moduleId));
      this.#projects.set(project.name, { ...files, count: files.count + 1 });
    }
  }

  onUserConsoleLog({ type, taskId, content }) {
    if (type === 'stderr' && !this.#warned.has(taskId)) this.#warned.set(taskId, firstLine(content));
  }

  onTestModuleEnd(module) {
    this.#projects.get(module.project.name)?.open.delete(relative(module.project.config.root, module.moduleId));
    const before = this.#failed;
    for (const test of module.children.allTests()) this.#count(test);
    // A module that cannot be loaded or set up has no failed test, but counts as one.
    if (module.state() === 'failed' && this.#failed === before) this.#failed += 1;
  }

  onTestRunEnd(_modules, errors) {
    if (errors.length > 0 && this.#failed === 0) this.#failed = 1;
  }

  #count(test) {
    const { state, note, errors } = test.result();
    // A test that is expected to fail is repeated as well, and has no errors.
    if (test.diagnostic()?.flaky && errors?.[0]) {
      this.#flaky.push(`passed at the second attempt: ${test.fullName} (${firstLine(errors[0].message)})`);
    }
    if (state === 'passed') this.#passed += 1;
    else if (state === 'failed') this.#failed += 1;
    else if (!this.#isByName) {
      const warned = this.#warned.get(test.module.id);
      const reason =
        note ?? test.meta().skipReason ?? (state === 'pending' ? 'not run' : (warned ?? 'no reason given'));
      this.#skipped.push(`skipped: ${test.fullName} (${reason})`);
    }
  }
}
