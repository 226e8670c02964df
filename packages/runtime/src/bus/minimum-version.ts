/** The first releases of nats-server without known vulnerabilities: of the older maintained line and of the newest. */
const minimumVersions = [
  [2, 11, 12],
  [2, 12, 3],
] as const;

export const minimumVersionText = '2.12.3, or 2.11.12 of the older line';

/** Returns whether a server's version is below the minimum of its line; false for a version that cannot be parsed. */
export function isBelowMinimumVersion(version: string): boolean {
  const [, major, minor, patch] = (/^v?(\d+)\.(\d+)\.(\d+)/.exec(version) ?? []).map(Number);
  if (major === undefined || minor === undefined || patch === undefined) return false;
  const line = minimumVersions.find((minimum) => minimum[0] === major && minimum[1] === minor);
  if (line) return patch < line[2];
  return major < 2 || (major === 2 && minor < 11);
}
