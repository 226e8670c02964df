import postgres from 'postgres';

function postgresError(thrown: unknown): postgres.PostgresError | undefined {
  // drizzle wraps what the driver throws.
  for (let error = thrown; error instanceof Error; error = error.cause) {
    if (error instanceof postgres.PostgresError) return error;
  }
  return undefined;
}

/** Whether a statement failed because a unique constraint, this one if named, already holds the value. */
export function isUniqueViolation(thrown: unknown, constraint?: string): boolean {
  const error = postgresError(thrown);
  return error?.code === '23505' && (constraint === undefined || error.constraint_name === constraint);
}

/** Whether a row that others refer to was to be removed, or refers to one that has gone. */
export function isForeignKeyViolation(thrown: unknown): boolean {
  return postgresError(thrown)?.code === '23503';
}

const unreachableCodes = new Set([
  'CONNECT_TIMEOUT',
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  // The server is starting, stopping or has no connection left.
  '57P03',
  '53300',
  // It gave the statement up: it or a lock took too long, or two waited for each other.
  '57014',
  '55P03',
  '40P01',
  // It gave the transaction up, in which nothing happened for too long.
  '25P03',
]);

const lostCodes = /^(CONNECTION_(CLOSED|ENDED|DESTROYED)|ECONNRESET|EPIPE|ETIMEDOUT|08...|57P0[12])$/;

/**
 * Whether an error means that the database is away: `unreachable` when the statement did nothing,
 * `lost` when the connection went while it ran. Undefined for every other error.
 */
export function databaseFailure(thrown: unknown): 'unreachable' | 'lost' | undefined {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
    if (unreachableCodes.has(code)) return 'unreachable';
    if (lostCodes.test(code)) return 'lost';
    // The schema changed since the statement was prepared. The driver prepares it anew, but cannot within a transaction.
    if ('routine' in error && error.routine === 'RevalidateCachedQuery') return 'unreachable';
  }
  return undefined;
}
