const time = '2026-01-31T12:00:00';
const seconds = Date.UTC(2026, 0, 31, 12) / 1000;
/** Values that depend on the file system, and on whether a worker has looked at the storage yet. */
const ofStorage: Readonly<Record<string, unknown>> = {
  free_bytes: 64 * 2 ** 30,
  total_bytes: 100 * 2 ** 30,
  capacity_bytes: 100 * 2 ** 30,
  size_bytes: 96 * 2 ** 10,
  repository_bytes: 96 * 2 ** 10,
  seen_at: time,
};
const hex = '0123456789abcdef';

/**
 * Creates a function that replaces values that differ from run to run (ids, keys, times, versions) by fixed ones, equal
 * values by equal ones.
 */
export function createNormalizer(): (value: unknown, name?: string) => unknown {
  const ids = new Map<string, string>();
  const idOf = (id: string, make: (n: number) => string): string => {
    const known = ids.get(id) ?? make(ids.size);
    ids.set(id, known);
    return known;
  };
  const rotated = (n: number) => (hex.slice(n % 16) + hex.slice(0, n % 16)).repeat(3).slice(0, 40);
  const text = (value: string, name: string): string => {
    if (name === 'short_id') return [...ids].find(([id]) => id.startsWith(value))?.[1].slice(0, 12) ?? rotated(0);
    if (name.endsWith('_version') || (name.endsWith('_path') && name !== 'file_path') || name === 'platform')
      return '…';
    return value
      .replace(/^http:\/\/127\.0\.0\.1:\d+\//, 'http://127.0.0.1:5000/')
      .replaceAll(/\b[0-9a-f]{40}\b/g, (id) => idOf(id, rotated))
      .replaceAll(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, (id) =>
        idOf(id, (n) => `6f1c2a4e-0000-4000-8000-${String(n).padStart(12, '0')}`),
      )
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?/g, time);
  };
  const normalize = (value: unknown, name = ''): unknown => {
    if (name === 'modules') return [['…', '…']];
    if (Object.hasOwn(ofStorage, name)) return ofStorage[name];
    if (typeof value === 'string') return text(value, name);
    if (typeof value === 'number') return /^locked_(since|date)$/.test(name) ? seconds : value;
    if (Array.isArray(value)) return value.map((one) => normalize(one));
    if (typeof value !== 'object' || value === null) return value;
    // Full ids come first: the replacement of a short id is found by that of its full id.
    const entries = Object.entries(value).toSorted(([a], [b]) => Number(a === 'short_id') - Number(b === 'short_id'));
    const made = new Map(entries.map(([key, one]) => [key, normalize(one, key)]));
    return Object.fromEntries(Object.keys(value).map((key) => [key, made.get(key)]));
  };
  return normalize;
}
