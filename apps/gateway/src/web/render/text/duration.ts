const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** Returns a duration in its largest unit and the next one, such as `2 hours 5 minutes`, `12 s` or `0.4 s`. */
export function duration(seconds: number): string {
  if (seconds < 9.95) return `${Math.max(seconds, 0).toFixed(1)} s`;
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  const at = units.findIndex(([, length]) => seconds >= length);
  let left = seconds;
  const parts = units.slice(at, at + 2).map(([name, length]) => {
    const count = Math.floor(left / length);
    left -= count * length;
    return count === 0 ? null : `${count} ${name}${count === 1 ? '' : 's'}`;
  });
  return parts.filter((part) => part !== null).join(' ');
}
