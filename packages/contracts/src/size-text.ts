const sizeUnits = ['kB', 'MB', 'GB', 'TB', 'PB'] as const;

/** Returns a size as people are told it, on pages and on the command line: in decimal units, such as `1.2 MB`. */
export function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  let size = bytes / 1_000;
  let unit = 0;
  // A value that would be rounded to 1000 is shown in the next unit.
  while (size >= 999.5 && unit < sizeUnits.length - 1) {
    size /= 1_000;
    unit += 1;
  }
  return `${size < 9.95 ? size.toFixed(1) : size.toFixed(0)} ${sizeUnits[unit]}`;
}
