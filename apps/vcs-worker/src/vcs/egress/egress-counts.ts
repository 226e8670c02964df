import type { SessionFailure } from './open-session.ts';

export interface EgressFigures {
  readonly openSessions: number;
  readonly bytesReceived: number;
  /** Sessions that have ended with a failure of their last connection, by its reason. */
  readonly failures: Readonly<Record<SessionFailure, number>>;
}

/** What is read of a session. */
interface CountedSession {
  readonly bytesReceived: number;
  readonly failure: SessionFailure | null;
}

/** Sums over the sessions of a guard: those that are open, and those that have ended. */
export class EgressCounts {
  readonly #failures = { 'address refused': 0, 'too large': 0, unreachable: 0, 'timed out': 0 };
  #endedBytes = 0;

  ended({ bytesReceived, failure }: CountedSession): void {
    this.#endedBytes += bytesReceived;
    if (failure !== null) this.#failures[failure] += 1;
  }

  with(open: Iterable<CountedSession>): EgressFigures {
    const sessions = [...open];
    const bytesReceived = sessions.reduce((bytes, one) => bytes + one.bytesReceived, this.#endedBytes);
    return { openSessions: sessions.length, bytesReceived, failures: { ...this.#failures } };
  }
}
