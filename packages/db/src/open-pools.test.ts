import { describe, expect, it } from 'vitest';
import { connectionName, sumConnections } from './open-pools.ts';

const worker = 'vcs-worker 00000000-0000-4000-8000-000000000001';
const gateway = 'gateway 00000000-0000-4000-8000-000000000002';

describe('sumConnections', () => {
  it('counts what each other process declares once, and other connections one by one', () => {
    const names = [
      connectionName(worker, 'reads', 11),
      connectionName(worker, 'writes', 11),
      connectionName(gateway, 'requests', 3),
      'psql',
      '',
      'vcs-worker of somebody',
    ];
    expect(sumConnections(names, '')).toEqual({ declared: 14, others: 3 });
    expect(sumConnections(names, worker)).toEqual({ declared: 3, others: 3 });
  });

  it('Postgres does not cut the names', () => {
    expect(connectionName(worker, 'heartbeats', 1_000).length).toBeLessThanOrEqual(63);
  });
});
