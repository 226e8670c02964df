/** Records how long a step takes as a measure of this process by its name, also when the step fails. */
export async function timed<T>(name: string, work: () => Promise<T>): Promise<T> {
  const start = performance.now();
  try {
    return await work();
  } finally {
    performance.measure(name, { start });
  }
}

/** Returns a table of the steps that this process has recorded, which may have run side by side. */
export function timingsTable(): string {
  const seconds = (ms: number) => (ms / 1000).toFixed(1).padStart(8);
  const rows = performance
    .getEntriesByType('measure')
    .toSorted((one, other) => one.startTime - other.startTime)
    .map(({ name, startTime, duration }) => `${seconds(startTime)}${seconds(duration)}   ${name}`);
  return ['', '   began    took   seconds; 0 is the start of Node.js', ...rows, ''].join('\n');
}
