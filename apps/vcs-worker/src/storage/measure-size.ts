import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { withTimeout } from '@trunkline/runtime/concurrency';

const msMax = 10_000;
const run = promisify(execFile);

/**
 * Returns the bytes that a directory takes on the disk, files that are shared with others included; null when that
 * cannot be told, or not in time.
 */
export function measureSize(path: string): Promise<number | null> {
  return measureSizes([path]);
}

/** Returns the bytes that directories take together, as `measureSize` does; files that they share count once. */
export async function measureSizes(paths: readonly string[]): Promise<number | null> {
  // A process, since a walk over many small files would keep this one busy.
  const options = { timeout: msMax, killSignal: 'SIGKILL', env: { LC_ALL: 'C' } } as const;
  const measured = run('du', ['-sk', '--', ...paths], options).then(
    ({ stdout }) => stdout.match(/^\d+/gm)?.reduce((sum, kilobytes) => sum + Number(kilobytes), 0),
    () => undefined,
  );
  // A process that waits for a disk that hangs cannot be killed.
  const kilobytes = await withTimeout(measured, msMax, () => undefined);
  return kilobytes === undefined ? null : kilobytes * 1024;
}
