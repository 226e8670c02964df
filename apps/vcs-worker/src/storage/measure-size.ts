import { withTimeout } from '@trunkline/runtime/concurrency';
import { runCommand } from '../vcs/process/run-command.ts';

const msMax = 10_000;
const stdoutBytesMax = 8 * 1024 * 1024;

/**
 * Returns the bytes that a directory takes on the disk, files that are shared with others included; null when that
 * cannot be told, or not in time.
 */
export function measureSize(path: string): Promise<number | null> {
  return measureSizes([path]);
}

/** Adds up the kilobytes with which the lines of `du` begin. */
function sumOfLines(printed: string): number | undefined {
  return printed.match(/^\d+/gm)?.reduce((sum, kilobytes) => sum + Number(kilobytes), 0);
}

/** Returns the bytes that directories take together, as `measureSize` does; files that they share count once. */
export async function measureSizes(paths: readonly string[]): Promise<number | null> {
  // A process, since a walk over many small files would keep this one busy. It is small, and starts in any case.
  const options = { env: { LC_ALL: 'C' }, timeoutMs: msMax, stdoutBytesMax, memoryWaitMs: null };
  const measured = runCommand(['du', '-sk', '--', ...paths], options).then(
    ({ exitCode, stdout }) => (exitCode === 0 ? sumOfLines(stdout.toString('latin1')) : undefined),
    () => undefined,
  );
  // A process that waits for a disk that hangs cannot be killed.
  const kilobytes = await withTimeout(measured, msMax, () => undefined);
  return kilobytes === undefined ? null : kilobytes * 1024;
}
