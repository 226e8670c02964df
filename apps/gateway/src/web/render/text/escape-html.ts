const entities = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&#39;'],
]);

/** Escapes a text for the content and the quoted attributes of HTML that is put together from strings. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities.get(character) ?? character);
}
