import { VcsError } from '../vcs-error.ts';
import { awaitFirstTurn, type FirstTurn } from './lower-priority.ts';

/** What a command that has waited for its start goes on with. */
export interface StartTurn {
  /** Aborts when the command has ended. */
  readonly ended: AbortController;
  readonly firstTurn: FirstTurn;
}

/**
 * Waits, under overload, until a command of a caller with many has a turn, and starts the command, which aborts `ended` at
 * its end. A start that fails counts as an end. Throws VcsError `cancelled` after the signal.
 */
export async function startInTurn<T>(
  diesWithWorker: boolean,
  signal: AbortSignal | undefined,
  start: (turn: StartTurn) => Promise<T>,
): Promise<T> {
  const ended = new AbortController();
  try {
    const firstTurn = await awaitFirstTurn({ ended: ended.signal, diesWithWorker }, signal);
    if (signal?.aborted) throw new VcsError('cancelled', 'cancelled before it began', { cause: signal.reason });
    return await start({ ended, firstTurn });
  } catch (error) {
    ended.abort();
    throw error;
  }
}
