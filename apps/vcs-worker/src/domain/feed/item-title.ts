const charactersMax = 160;
const ellipsis = '...';

/** Returns a message on one line, cut to `charactersMax`. */
export function itemTitle(message: string): string {
  const characters = Array.from(message.replace(/\s+/g, ' ').trim());
  if (characters.length <= charactersMax) return characters.join('');
  return `${characters.slice(0, charactersMax - ellipsis.length).join('')}${ellipsis}`;
}
