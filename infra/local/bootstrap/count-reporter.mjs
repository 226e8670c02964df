/** Ends a run with the line `N passed, N failed`, after the reasons of whatever was skipped. */
export default class CountReporter {
  #passed = 0;
  #failed = 0;
  #skipped = [];

  onInit() {
    // At the very end, because other reporters and tear-downs print after the tests.
    process.once('exit', (code) => {
      const failed = this.#failed === 0 && code !== 0 ? 1 : this.#failed;
      const lines = [...this.#skipped, `${this.#passed} passed, ${failed} failed`];
      process.stdout.write(`${lines.join('\n')}\n`);
    });
  }

  onTestRunEnd(modules, errors) {
    for (const module of modules) {
      const before = this.#failed;
      for (const test of module.children.allTests()) this.#count(test);
      // A module that cannot be loaded or set up has no failed test, yet it has failed.
      if (module.state() === 'failed' && this.#failed === before) this.#failed += 1;
    }
    if (errors.length > 0 && this.#failed === 0) this.#failed = 1;
  }

  #count(test) {
    const { state, note } = test.result();
    if (state === 'passed') this.#passed += 1;
    else if (state === 'failed') this.#failed += 1;
    else
      this.#skipped.push(
        `skipped: ${test.fullName} (${note ?? (state === 'pending' ? 'not run' : 'no reason given')})`,
      );
  }
}
