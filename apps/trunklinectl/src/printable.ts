const unprintable = /(?!\n)[\p{Cc}\p{Cf}]/gu;

/** Returns a text in which nothing moves the cursor or hides what stands beside it: names in a backup can be anybody's. */
export function printable(text: string): string {
  return text.replaceAll(unprintable, '?');
}

const unprintableInRow = /[\p{Cc}\p{Cf}]/gu;

/** Formats rows as columns, of which each is as wide as its widest cell; nothing a process sends moves the cursor. */
export function formatRows(rows: readonly (readonly string[])[]): string {
  const shown = rows.map((row) => row.map((cell) => cell.replaceAll(unprintableInRow, '?')));
  const widths = shown.reduce<number[]>(
    (all, row) => row.map((cell, at) => Math.max(cell.length, all[at] ?? 0)).concat(all.slice(row.length)),
    [],
  );
  return shown
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
