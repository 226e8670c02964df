const charactersMax = 160;
const ellipsis = '...';

/** A message as one line, cut at the limit. */
export function itemTitle(message: string): string {
  const characters = Array.from(message.replace(/\s+/g, ' ').trim());
  if (characters.length <= charactersMax) return characters.join('');
  return `${characters.slice(0, charactersMax - ellipsis.length).join('')}${ellipsis}`;
}
