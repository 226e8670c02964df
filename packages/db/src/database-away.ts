import { databaseFailure } from './pg-error.ts';

/** Why a database takes no work: a name for `/readyz`, and what its server does, for a sentence of the log. */
export interface DatabaseAway {
  readonly name: string;
  readonly state: string;
  /** Whether the server has said so itself: what it has not said may be a fault of the network. */
  readonly isTold: boolean;
}

const told = (word: string): DatabaseAway => ({ name: `database (${word})`, state: `is ${word}`, isTold: true });

/** The server is a standby, or was told to refuse changes. */
export const readOnly = told('read-only');

/** What a server has in place of a connection; its words may be those of another language. */
function ofRefusal(message: string): DatabaseAway {
  if (message.includes('shutting down')) return told('shutting down');
  return told(/starting up|recovery|not yet/.test(message) ? 'starting up' : 'starting up or shutting down');
}

/** Codes of connections that fail; those of statements, and of a server without a connection left, are others. */
const noAnswer = /^([A-Z_]+|08...|57P0[12])$/;

/** Returns why the database took no work when an error came; undefined for an error that has another reason. */
export function databaseAway(thrown: unknown): DatabaseAway | undefined {
  if (databaseFailure(thrown) === undefined) return undefined;
  for (let error = thrown; error instanceof Error; error = error.cause) {
    const code = 'code' in error ? String(error.code) : '';
    if (code === '57P03') return ofRefusal(error.message);
    if (code === '25006') return readOnly;
    if (noAnswer.test(code)) return { name: 'database', state: `does not answer (${code})`, isTold: false };
  }
  return undefined;
}

/** Names what a process lacks, for `/readyz`, when a query has failed or, without an error, is late. */
export function missingDatabase(thrown?: unknown): string {
  return databaseAway(thrown)?.name ?? 'database';
}
