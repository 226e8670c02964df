/** The numbers of added and removed lines, if any. */
export function LineCounts({ added, removed }: { added: number; removed: number }) {
  if (added === 0 && removed === 0) return null;
  return (
    <span class="line-counts">
      <span class="added">+{added}</span> <span class="removed">−{removed}</span>
    </span>
  );
}
