/** The rows of a page, of which one more than its limit was read, and the name after which the next one begins. */
export function pageOf<Row>(rows: readonly Row[], limit: number, nameOf: (row: Row) => string) {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return { shown, next: rows.length > limit && last !== undefined ? nameOf(last) : null };
}
