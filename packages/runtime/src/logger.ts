import { format } from 'node:util';
import * as v from 'valibot';
import { type DestinationStream, type Logger, pino } from 'pino';
import { fileSink, LogOutput } from './log-output.ts';

/** Characters of what a line is about. */
const aboutMax = 200;

/** When a line was logged, and what it is about. */
interface LoggedAbout {
  readonly at: string;
  readonly about: string;
}

/** Names of methods, classes and codes: everything else in a line may quote what users or servers sent. */
const Word = v.fallback(v.optional(v.pipe(v.string(), v.regex(/^[\w:.-]{1,64}$/))), undefined);
const Line = v.object({
  time: v.pipe(v.string(), v.isoTimestamp()),
  msg: v.fallback(v.pipe(v.string(), v.maxLength(80)), ''),
  method: Word,
  view: Word,
  kind: Word,
  requestId: Word,
  err: v.fallback(v.optional(v.record(v.string(), v.unknown())), undefined),
});

const Named = v.object({ type: Word, code: Word });

/** Returns class and code of the root cause of a logged error. */
function rootOf(error: unknown) {
  let root = error;
  while (v.is(v.object({ cause: v.record(v.string(), v.unknown()) }), root)) root = root.cause;
  const named = v.safeParse(Named, root);
  return named.success ? named.output : {};
}

/** Returns what a line of the log is about, without the message of its error. */
export function aboutLine(line: string): LoggedAbout | null {
  try {
    const { time, msg, method, view, kind, requestId, err } = v.parse(Line, JSON.parse(line));
    const { type, code } = rootOf(err);
    const words = [msg, method ?? view ?? kind, type, code, requestId && `(${requestId})`];
    const about = words.filter((word) => word !== undefined && word !== '').join(' ');
    return { at: time, about: about.slice(0, aboutMax) };
  } catch {
    return null;
  }
}

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

/** Removes the values of parameters that query errors append, so that they are not logged. */
function withoutParams(text: string): string {
  const [before = ''] = text.split('\nparams: ', 1);
  return before;
}

/** Returns the stack, in which the message precedes the frames; lines of the message may look like frames. */
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

let standardOutput: LogOutput | null = null;

/** Returns the output to stdout, which all loggers of the process share and which is flushed when the process ends. */
function openStandardOutput(): LogOutput {
  if (standardOutput !== null) return standardOutput;
  const output = new LogOutput(fileSink(1));
  // Node calls this before it prints an uncaught error, so the lines before the error precede it.
  process.on('exit', () => output.flushSync());
  standardOutput = output;
  return output;
}

/** Returns what the last error in the log of this process was about; null when there was none. */
export function lastLoggedError(): LoggedAbout | null {
  const line = standardOutput?.lastError ?? null;
  return line === null ? null : aboutLine(line);
}

function writeTo(destination: DestinationStream, { role, level }: { role: string; level: string }): Logger {
  return pino(
    {
      level,
      base: { role, pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: {
        err: (error: unknown) => toLoggedError(error),
        reason: (reason: unknown) => (reason instanceof Error ? withoutParams(reason.message) : reason),
      },
      redact: { paths: secretNames.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[redacted]' },
    },
    destination,
  );
}

/** Creates a logger that writes one JSON line per event; values under secret names are redacted, two levels deep. */
export function createLogger(options: { role: string; level: string; destination?: DestinationStream }): Logger {
  const destination = options.destination ?? openStandardOutput();
  const logger = writeTo(destination, options);
  if (destination instanceof LogOutput) {
    destination.onDropped = (lines) => logger.warn({ lines }, 'lines of the log were dropped: its output took nothing');
  }
  return logger;
}

const saidCharsMax = 1_000;

/** Has what libraries write to the console written to the log, whose lines are all JSON. */
export function takeOverConsole(logger: Pick<Logger, 'error' | 'warn' | 'debug'>): void {
  const logAt =
    (level: 'error' | 'warn' | 'debug') =>
    (...said: unknown[]) => {
      const error = said.find((one) => one instanceof Error);
      if (error) logger[level]({ err: error }, 'a library tells of an error');
      else logger[level]({ said: format(...said).slice(0, saidCharsMax) }, 'a library has written to the console');
    };
  const debug = logAt('debug');
  Object.assign(console, { error: logAt('error'), warn: logAt('warn'), info: debug, log: debug, debug });
}
