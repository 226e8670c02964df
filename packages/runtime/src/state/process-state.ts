import { hostname } from 'node:os';
import { statesListedMax, type ProcessState } from '@trunkline/contracts';
import { lastLoggedError } from '../logger.ts';
import type { RunningWork } from './running-work.ts';

/** What identifies a process of the cluster. */
export type ProcessIdentity = Pick<ProcessState, 'id' | 'role' | 'version'>;

export type RunningCalls = RunningWork<{ readonly id: string; readonly method: string; readonly lane: string }>;
export type RunningOperations = RunningWork<{ readonly id: string; readonly kind: string }>;

type OwnState = Pick<ProcessState, 'lanes' | 'storages' | 'childMemoryBytes' | 'unreachable'>;

interface Running {
  readonly calls: RunningCalls;
  readonly operations?: RunningOperations;
}

const noWork = { count: 0, oldest: [] };

function shown<What extends object>(work: RunningWork<What>) {
  return { count: work.count, oldest: work.oldest(statesListedMax) };
}

/** Returns the present state of this process. */
export function processState(identity: ProcessIdentity, { calls, operations }: Running, own: OwnState): ProcessState {
  return {
    ...identity,
    ...own,
    host: hostname(),
    pid: process.pid,
    seconds: Math.round(process.uptime()),
    memoryBytes: process.memoryUsage.rss(),
    calls: shown(calls),
    operations: operations ? shown(operations) : noWork,
    lastError: lastLoggedError(),
  };
}
