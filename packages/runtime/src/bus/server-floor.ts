/** The first releases of nats-server without known vulnerabilities, of the maintained line and of the newest one. */
const floors = [
  [2, 11, 12],
  [2, 12, 3],
] as const;

export const floorText = '2.12.3, or 2.11.12 of the older line';

/** Whether a server's version is below the floor; false for a version that cannot be read. */
export function isBelowFloor(version: string): boolean {
  const [, major, minor, patch] = (/^v?(\d+)\.(\d+)\.(\d+)/.exec(version) ?? []).map(Number);
  if (major === undefined || minor === undefined || patch === undefined) return false;
  const line = floors.find((floor) => floor[0] === major && floor[1] === minor);
  if (line) return patch < line[2];
  return major < 2 || (major === 2 && minor < 11);
}
