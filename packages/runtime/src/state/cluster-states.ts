import { randomUUID } from 'node:crypto';
import {
  decodeState,
  splitSignature,
  stateBytesMax,
  stateRequestIdOf,
  subjects,
  type ProcessState,
} from '@trunkline/contracts';
import type { Bus } from '../bus/bus.ts';
import { Condition, SingleFlight, withTimeout } from '../concurrency/index.ts';
import { answerStateRequests, signState, verifiedState, type StateVault } from './process-state.ts';

/** A process that ought to answer. */
type ConnectedProcess = Pick<ProcessState, 'id' | 'role'>;

/** What the processes of the cluster have told of themselves. */
export interface ClusterState {
  /** The gateway that has asked; null for a program that is no gateway. */
  readonly askedBy: string | null;
  readonly answered: readonly ProcessState[];
  /** Processes that are connected to the database, and have not answered. */
  readonly absent: readonly ConnectedProcess[];
  /** Names of storages in use that none of the processes that have answered serves. */
  readonly unserved: readonly string[];
  /** What could not be asked, so that processes may be missing. */
  readonly missing: readonly ('bus' | 'database')[];
}

export interface ClusterStateOptions {
  readonly bus: Pick<Bus, 'connected' | 'listen' | 'publish'>;
  readonly vault: StateVault;
  /** Returns the state of this gateway, which answers others, too; null for a program that only asks. */
  readonly readOwn: (() => ProcessState) | null;
  readonly listProcesses: () => Promise<readonly ConnectedProcess[]>;
  /** Returns the names of the storages whose workers are to be there. */
  readonly listStorages: () => Promise<readonly string[]>;
  /** Least and most time for answers, in milliseconds: other processes may answer than those in the database. */
  readonly waitMsMin?: number;
  readonly waitMsMax?: number;
}

/** Processes whose answers are kept, each of `stateBytesMax` at most. */
const processesMax = 200;

const byRoleAndHost = (one: ProcessState, other: ProcessState) =>
  one.role.localeCompare(other.role) || one.host.localeCompare(other.host) || one.pid - other.pid;

/** Collects answers, the first of each process; notifies `changed` of each. */
class Answers {
  readonly states = new Map<string, ProcessState>();
  readonly changed = new Condition();

  add(state: ProcessState): void {
    if (this.states.size >= processesMax || this.states.has(state.id)) return;
    this.states.set(state.id, state);
    this.changed.notifyAll();
  }

  /** Waits for answers of all these processes, until the moment `until`. */
  async of(ids: readonly string[], until: number): Promise<void> {
    while (ids.some((id) => !this.states.has(id))) {
      const msLeft = until - performance.now();
      if (msLeft <= 0) return;
      await withTimeout(this.changed.wait(), msLeft, () => {});
    }
  }
}

/**
 * Returns a function that asks all processes for their state over the bus. It needs no worker, since it shows what
 * workers do when they do not answer. Those who ask at the same time share one request.
 */
export function createClusterState(options: ClusterStateOptions): () => Promise<ClusterState> {
  const { bus, vault, readOwn, waitMsMin = 150, waitMsMax = 1_000 } = options;
  const asked = new Map<string, Answers>();
  if (readOwn) answerStateRequests({ bus, vault, read: readOwn });
  bus.listen(subjects.stateAnswer, (message) => {
    // Every gateway gets the answers to all of them: those for others are not verified.
    const answers = asked.get(stateRequestIdOf(splitSignature(message).body));
    if (!answers || message.length > stateBytesMax) return;
    const body = verifiedState(vault, message);
    const state = body && decodeState(body);
    if (state) answers.add(state);
  });

  const orNull = <T>(reading: Promise<T>) =>
    withTimeout(
      reading.catch(() => null),
      waitMsMax,
      () => null,
    );

  const ask = async (): Promise<ClusterState> => {
    const own = readOwn?.() ?? null;
    const requestId = randomUUID();
    const answers = new Answers();
    if (own) answers.add(own);
    asked.set(requestId, answers);
    const until = performance.now() + waitMsMax;
    try {
      bus.publish(subjects.stateRequest, signState(vault, Buffer.from(requestId)));
      const [known, storages] = await Promise.all([
        orNull(options.listProcesses()),
        orNull(options.listStorages()),
        new Promise((resolve) => setTimeout(resolve, waitMsMin)),
      ]);
      // Without the list of processes, nothing says that all have answered.
      await answers.of(known === null ? [''] : known.map(({ id }) => id), until);
      const answered = [...answers.states.values()].toSorted(byRoleAndHost);
      const served = new Set(answered.flatMap((state) => state.storages));
      return {
        askedBy: own?.id ?? null,
        answered,
        absent: (known ?? []).filter(({ id }) => !answers.states.has(id)).slice(0, processesMax),
        unserved: (storages ?? []).filter((name) => !served.has(name)),
        missing: [...(bus.connected ? [] : (['bus'] as const)), ...(known === null ? (['database'] as const) : [])],
      };
    } finally {
      asked.delete(requestId);
    }
  };
  const flight = new SingleFlight<ClusterState>();
  return () => flight.run('', ask);
}
