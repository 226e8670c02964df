/** Returns the beginning of a text, with an ellipsis when more would follow; no character is cut in two. */
export function cutText(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  return `${text.slice(0, charsMax).replace(/[\ud800-\udbff]$/, '')}…`;
}
