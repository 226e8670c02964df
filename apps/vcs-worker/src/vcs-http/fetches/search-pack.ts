/** The sections of version 2 that only the answer to `fetch` has, which begin it. */
const fetchSection = /^[0-9a-f]{4}(?:acknowledgments|shallow-info|wanted-refs|packfile-uris|packfile)\n/;
const beginningChars = 32;
const packSection = Buffer.from('000dpackfile\n');
const packStart = Buffer.from('PACK');

/** Returns whether the pieces of an answer up to this one, which is the next, reach its pack. */
type ReachesPack = (piece: Uint8Array) => boolean;

/**
 * Looks for the pack in the beginning of an answer of `git upload-pack` to a POST: clients find out what they lack in
 * several requests, and only the answer to the last one has it. Each piece is searched once.
 */
export function searchPack(protocol: number): ReachesPack {
  // Before version 2, ids and words of the protocol come before the pack alone, none of which has these letters.
  const sought = protocol < 2 ? packStart : packSection;
  let beginning = '';
  let last = Buffer.alloc(0);
  let isFound = false;
  return (piece) => {
    beginning += Buffer.from(piece.subarray(0, beginningChars - beginning.length)).toString('latin1');
    const unsearched = isFound ? last : Buffer.concat([last, piece]);
    isFound ||= unsearched.includes(sought);
    last = Buffer.from(unsearched.subarray(Math.max(0, unsearched.length - sought.length + 1)));
    return isFound && (protocol < 2 || fetchSection.test(beginning));
  };
}
