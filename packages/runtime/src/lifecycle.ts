import type { Logger } from './logger.ts';

const stopMsMax = 25_000;

/** Tells a parent process that started this one with an IPC channel that it serves. */
export function announceReady(info: Readonly<Record<string, unknown>>): void {
  process.send?.({ ready: true, ...info });
}

/**
 * Runs `stop` once on SIGTERM, SIGINT or when the parent that started this process has gone.
 * A stop that hangs ends in a hard exit: nothing acknowledged depends on it.
 */
export function stopOnSignal(logger: Logger, stop: () => Promise<void>): void {
  let stopping = false;
  const begin = (reason: string) => {
    if (stopping) return;
    stopping = true;
    logger.info({ reason }, 'stopping');
    setTimeout(() => process.exit(1), stopMsMax).unref();
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
  process.on('disconnect', () => begin('parent gone'));
}

/** Runs a program's main function; what it cannot start with is one line on stderr, never a stack. */
export async function runMain(main: () => Promise<void>): Promise<void> {
  try {
    await main();
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  }
}
