import { randomInt } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { ByDuration } from './tests/baseline/by-duration.ts';

// One seed for all files of a run: they inherit it, and the end of the output names it.
process.env['TRUNKLINE_TEST_SEED'] ??= String(randomInt(2 ** 31));

// Files called `*.long.test.ts` are the long tier. Which one runs is chosen by `infra/local/bootstrap/main.mjs`.
const tier = process.env['TRUNKLINE_TEST_TIER'] ?? 'all';

/** Returns the files of a project, whose pattern names those of the quick tier, that belong to the tier of this run. */
function filesOfTier(patterns: readonly string[], exclude: readonly string[] = []) {
  const long = patterns.map((pattern) => pattern.replace('.test.', '.long.test.'));
  const others = ['**/node_modules/**', ...exclude];
  if (tier === 'long') return { include: long, exclude: others };
  return { include: [...patterns, ...long], exclude: tier === 'quick' ? [...others, '**/*.long.test.*'] : others };
}

const pages = { oxc: { jsx: { runtime: 'automatic' as const, importSource: 'hono/jsx' } } };

// Loading all modules anew for each file would take a tenth of the processor's time.
const setupFiles = ['tests/harness/processor-time.ts'];
const systemTests = {
  isolate: false,
  setupFiles,
  testTimeout: 60_000,
  hookTimeout: 60_000,
  // On a loaded machine processes start and end late. The end of the output names each test that needed this.
  retry: process.env['CI'] ? 1 : 0,
};

/** Tests against real servers, which the projects of one run share. */
function systemProject(name: string, files: string) {
  const globalSetup = ['tests/harness/global-setup.ts'];
  return { ...pages, test: { name, ...filesOfTier([files]), globalSetup, ...systemTests } };
}

export default defineConfig({
  test: {
    // Two more than cores, because files wait for their processes; bounded, because each may start ten of them.
    maxWorkers: Math.min(availableParallelism() + 2, 8),
    sequence: { sequencer: ByDuration },
    projects: [
      {
        ...pages,
        test: {
          name: 'unit',
          // Loading its modules anew for each file would take most of the time.
          isolate: false,
          setupFiles: [...setupFiles, 'tests/harness/native-response.ts'],
          // Property tests, and tests that run Vitest itself, beside everything else on a busy machine.
          testTimeout: 120_000,
          hookTimeout: 60_000,
          // As of the other projects: these tests run beside theirs.
          retry: systemTests.retry,
          ...filesOfTier(
            [
              '{apps,packages,infra}/**/src/**/*.test.{ts,tsx}',
              'infra/local/bootstrap/*.test.ts',
              'tests/{baseline,bench,docs,harness}/**/*.test.ts',
            ],
            ['**/*.system.test.ts', '**/*.system.long.test.ts'],
          ),
        },
      },
      {
        ...pages,
        test: { name: 'tools', ...filesOfTier(['apps/**/src/**/*.system.test.ts']), ...systemTests },
      },
      systemProject('api', 'tests/api/**/*.test.ts'),
      systemProject('web', 'tests/web/**/*.test.ts'),
      systemProject('security', 'tests/{security,fuzz,cli}/**/*.test.ts'),
      systemProject('wire', 'tests/wire/**/*.test.ts'),
      systemProject('cluster', 'tests/cluster/**/*.test.ts'),
      {
        ...pages,
        test: { name: 'infra', ...filesOfTier(['tests/infra/**/*.test.ts']), ...systemTests },
      },
      systemProject('chaos', 'tests/chaos/**/*.test.ts'),
      {
        ...pages,
        test: {
          name: 'bench',
          include: ['tests/bench/**/*.bench.ts'],
          globalSetup: ['tests/harness/global-setup.ts', 'tests/bench/global-setup.ts'],
          fileParallelism: false,
        },
      },
    ],
  },
});
