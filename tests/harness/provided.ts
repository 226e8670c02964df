import type { TestDatabase } from './test-database.ts';

/** The shared cluster as the global set-up provides it to every test file. */
export interface ProvidedCluster {
  readonly baseUrl: string;
  readonly adminKey: string;
  readonly databaseUrl: string;
  readonly database: TestDatabase;
  readonly storageRoot: string;
  readonly storageRoots: Readonly<Record<string, string>>;
  readonly secret: string;
  /** URLs of the bus, by its users. */
  readonly bus: Readonly<Record<'url' | 'gatewayUrl' | 'workerUrl', string>>;
}

declare module 'vitest' {
  export interface ProvidedContext {
    postgresUrl: string;
    cluster: ProvidedCluster;
    /** File to which benchmarks add the figures for docs/performance.md, a line of JSON each. */
    figuresPath: string;
  }
}
