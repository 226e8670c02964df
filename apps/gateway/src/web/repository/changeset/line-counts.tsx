/** Renders the numbers of added and removed lines, or nothing when both are 0. */
export function LineCounts({ added, removed }: { added: number; removed: number }) {
  if (added === 0 && removed === 0) return null;
  return (
    <span class="line-counts">
      <span class="added">+{added}</span> <span class="removed">−{removed}</span>
    </span>
  );
}
