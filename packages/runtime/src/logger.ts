import { pino, type DestinationStream, type Logger } from 'pino';

export type { Logger };

const secretNames = ['api_key', 'auth_token', 'password', 'clone_uri', 'authorization', 'cookie'];

interface LoggedError {
  readonly type: string;
  readonly message: string;
  readonly code?: unknown;
  readonly details?: unknown;
  readonly stack?: string;
  readonly cause?: LoggedError;
}

/** Query errors append the values of their parameters, which are kept out of the log. */
function withoutParams(text: string): string {
  const [before = ''] = text.split('\nparams: ', 1);
  return before;
}

/** The stack frames follow the message; lines of the message may look like frames themselves. */
function stackOf({ message, stack }: Error): string | undefined {
  return stack && withoutParams(stack.replace(message, () => withoutParams(message)));
}

function toLoggedError(error: unknown, depth = 0): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error) };
  const stack = stackOf(error);
  return {
    type: error.name,
    message: withoutParams(error.message),
    ...('code' in error ? { code: error.code } : {}),
    ...('details' in error ? { details: error.details } : {}),
    ...(stack === undefined ? {} : { stack }),
    ...(error.cause === undefined || depth > 5 ? {} : { cause: toLoggedError(error.cause, depth + 1) }),
  };
}

/** One JSON line an event; values under names that hold secrets are replaced, two levels deep. */
export function createLogger(options: { role: string; level: string; destination?: DestinationStream }): Logger {
  return pino(
    {
      level: options.level,
      base: { role: options.role, pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: {
        err: (error: unknown) => toLoggedError(error),
        reason: (reason: unknown) => (reason instanceof Error ? withoutParams(reason.message) : reason),
      },
      redact: { paths: secretNames.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[redacted]' },
    },
    options.destination ?? pino.destination({ fd: 1, sync: false }),
  );
}
