import postgres from 'postgres';

function postgresError(thrown: unknown): postgres.PostgresError | undefined {
  // drizzle wraps the errors of the driver.
  for (let error = thrown; error instanceof Error; error = error.cause) {
    if (error instanceof postgres.PostgresError) return error;
  }
  return undefined;
}

/** Returns whether a statement failed because it violates a unique constraint: any, or `constraint` if given. */
export function isUniqueViolation(thrown: unknown, constraint?: string): boolean {
  const error = postgresError(thrown);
  return error?.code === '23505' && (constraint === undefined || error.constraint_name === constraint);
}

/** Returns whether a statement failed because it removes a row that others refer to, or refers to a missing row. */
export function isForeignKeyViolation(thrown: unknown): boolean {
  return postgresError(thrown)?.code === '23503';
}

/** Returns whether a statement failed because the role of the connection lacks a right. */
export function isMissingRight(thrown: unknown): boolean {
  return postgresError(thrown)?.code === '42501';
}

/** Returns whether the server refused a connection because it has as many as it allows. */
export function hasNoConnectionLeft(thrown: unknown): boolean {
  return postgresError(thrown)?.code === '53300';
}

/** Codes of a lock that was not granted in time, and of a deadlock. */
const lockCodes = new Set<unknown>(['55P03', '40P01']);

function lockError(thrown: unknown): Error | undefined {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    if ('code' in error && lockCodes.has(error.code)) return error;
  }
  return undefined;
}

/** Returns whether a statement failed because another transaction holds a lock. */
export function isLockTimeout(thrown: unknown): boolean {
  return lockError(thrown) !== undefined;
}

/**
 * Returns the relation and the position of the row for whose lock a statement waited in vain; undefined where the server
 * does not tell, as for a second waiter, or tells it in another language than English.
 */
export function lockedRow(thrown: unknown): { readonly relation: string; readonly position: string } | undefined {
  const error = lockError(thrown);
  const context = error && 'where' in error ? String(error.where) : '';
  const [, position, relation] = /tuple \((\d+,\d+)\) in relation "([^"]+)"/.exec(context) ?? [];
  return position !== undefined && relation !== undefined ? { relation, position } : undefined;
}

const unreachableCodes = new Set([
  'CONNECT_TIMEOUT',
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  // The server is starting, stopping or has no connection left.
  '57P03',
  '53300',
  // The server cancelled the statement: its time or its wait for a lock was up, or there was a deadlock.
  '57014',
  '55P03',
  '40P01',
  // The server ended the transaction, which was idle for too long.
  '25P03',
  // The server is a standby, or was told to refuse changes.
  '25006',
]);

const lostCodes =
  /^(CONNECTION_(CLOSED|ENDED|DESTROYED)|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|08...|57P0[12])$/;

/** Returns whether the system refused a new connection: on an open one, the same codes come after a statement was sent. */
function neverConnected(error: Error): boolean {
  return 'syscall' in error && error.syscall === 'connect';
}

/**
 * Returns how the database failed: `unreachable` when the statement did nothing, `lost` when the connection was lost
 * while the statement ran; undefined for every other error.
 */
export function databaseFailure(thrown: unknown): 'unreachable' | 'lost' | undefined {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
    if (unreachableCodes.has(code) || neverConnected(error)) return 'unreachable';
    if (lostCodes.test(code)) return 'lost';
    // The schema changed after the statement was prepared. The driver prepares it anew, but cannot in a transaction.
    if ('routine' in error && error.routine === 'RevalidateCachedQuery') return 'unreachable';
  }
  return undefined;
}

/** Why a database takes no work: a name for `/readyz`, and what its server does, for a sentence of the log. */
export interface DatabaseAway {
  readonly name: string;
  readonly state: string;
  /** Whether the server has said so itself; otherwise the network may be at fault. */
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
