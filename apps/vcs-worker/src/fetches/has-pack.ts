/** The sections of version 2 that only the answer to `fetch` has, which begin it. */
const fetchSection = /^[0-9a-f]{4}(?:acknowledgments|shallow-info|wanted-refs|packfile-uris|packfile)\n/;
const beginningChars = 32;
const packSection = Buffer.from('000dpackfile\n');
const packStart = Buffer.from('PACK');

/**
 * Returns whether the beginning of an answer of `git upload-pack` to a POST reaches its pack: clients find out what they
 * lack in several requests, and only the answer to the last one has it.
 */
export function hasPack(beginning: Buffer, protocol: number): boolean {
  // Before version 2, ids and words of the protocol come before the pack alone, none of which has these letters.
  if (protocol < 2) return beginning.includes(packStart);
  return fetchSection.test(beginning.toString('latin1', 0, beginningChars)) && beginning.includes(packSection);
}
