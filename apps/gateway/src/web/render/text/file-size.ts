const units = ['kB', 'MB', 'GB', 'TB', 'PB'] as const;

/** Returns a size in decimal units, such as `1.2 MB`. */
export function fileSize(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  let size = bytes / 1_000;
  let unit = 0;
  // A value that would be rounded to 1000 is shown in the next unit.
  while (size >= 999.5 && unit < units.length - 1) {
    size /= 1_000;
    unit += 1;
  }
  return `${size < 9.95 ? size.toFixed(1) : size.toFixed(0)} ${units[unit]}`;
}
