const gap = 2;
/** Narrowest that a column becomes before columns at the end are left out. */
const widthMin = 8;

function total(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, gap * (widths.length - 1));
}

const capped = (widths: readonly number[], cap: number) => widths.map((width) => Math.min(width, cap));

/**
 * Returns the widths of as many columns, from the first on, as fit on a line: as wide as they are while that fits, else
 * the widest are made narrower. The first column is always there.
 */
export function fitWidths(natural: readonly number[], available: number): readonly number[] {
  let count = natural.length;
  while (count > 1 && total(capped(natural.slice(0, count), widthMin)) > available) count -= 1;
  const widths = natural.slice(0, count);
  let cap = Math.min(Math.max(...widths), Math.max(available, 1));
  while (cap > 1 && total(capped(widths, cap)) > available) cap -= 1;
  return capped(widths, cap);
}
