/** Returns a page of rows, of which one more than the limit was read, and the cursor of the next page. */
export function cutPage<Row>(rows: readonly Row[], limit: number, nameOf: (row: Row) => string) {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return { shown, next: rows.length > limit && last !== undefined ? nameOf(last) : null };
}
