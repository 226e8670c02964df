import { defineConfig } from 'vitest/config';

const resolveSources = {
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'] } },
  oxc: { jsx: { runtime: 'automatic' as const, importSource: 'hono/jsx' } },
};

export default defineConfig({
  test: {
    // On two cores one file would wait for its processes most of the time.
    maxWorkers: 2,
    projects: [
      {
        ...resolveSources,
        test: {
          name: 'unit',
          // Property tests beside everything else on a busy machine.
          testTimeout: 30_000,
          include: ['{apps,packages,infra}/**/src/**/*.test.{ts,tsx}', 'tests/{docs,harness}/**/*.test.ts'],
          exclude: ['**/node_modules/**', '**/*.system.test.ts'],
        },
      },
      {
        ...resolveSources,
        test: { name: 'tools', include: ['apps/**/src/**/*.system.test.ts'], testTimeout: 60_000, hookTimeout: 60_000 },
      },
      {
        ...resolveSources,
        test: {
          name: 'system',
          include: ['tests/**/*.test.ts'],
          exclude: ['**/node_modules/**', 'tests/{docs,harness}/**'],
          globalSetup: ['tests/harness/global-setup.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        ...resolveSources,
        test: {
          name: 'bench',
          include: ['tests/bench/**/*.bench.ts'],
          globalSetup: ['tests/harness/global-setup.ts'],
          fileParallelism: false,
        },
      },
    ],
  },
});
