import type { Logger } from './logger.ts';

/** Time for what is left of a stop once requests and transfers have had theirs. */
const endMsMax = 10_000;

/** Sends "ready" over the IPC channel to the parent process, if there is one. */
export function announceReady(info: Readonly<Record<string, unknown>>): void {
  process.send?.({ ready: true, ...info });
}

/**
 * Runs `stop` once, on SIGTERM, on SIGINT or when the parent process has ended; it gives requests and transfers
 * `requestsMsMax`. A stop that hangs ends in a hard exit, which loses nothing: acknowledged work does not depend on a
 * clean stop.
 */
export function stopOnSignal(logger: Logger, stop: () => Promise<void>, requestsMsMax = 15_000): void {
  let stopping = false;
  const begin = (reason: string) => {
    if (stopping) return;
    stopping = true;
    logger.info({ reason }, 'stopping');
    setTimeout(() => process.exit(1), requestsMsMax + endMsMax).unref();
    stop().then(
      () => {
        logger.info('stopped');
        logger.flush(() => process.exit(0));
      },
      (error: unknown) => {
        logger.error({ err: error }, 'stop failed');
        logger.flush(() => process.exit(1));
      },
    );
  };
  process.on('SIGTERM', () => begin('SIGTERM'));
  process.on('SIGINT', () => begin('SIGINT'));
  process.on('disconnect', () => begin('parent process has ended'));
}

/**
 * Returns the first line of an error's message, since later lines may quote query parameters; the error's code when
 * the message is empty.
 */
function firstLine(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  const code = 'code' in error ? String(error.code) : error.name;
  return (error.message || code).split('\n', 1)[0] ?? '';
}

/** Formats an error and its root cause as one line. */
export function toOneLine(error: unknown): string {
  let root = error;
  while (root instanceof Error && root.cause instanceof Error) root = root.cause;
  return [...new Set([firstLine(error), firstLine(root)])].join(': ');
}

/** Runs a program's main function; prints a failure to start as one line on stderr, never as a stack. */
export async function runMain(main: () => Promise<void>): Promise<void> {
  try {
    await main();
  } catch (error) {
    process.stderr.write(`${toOneLine(error)}\n`);
    process.exit(1);
  }
}
