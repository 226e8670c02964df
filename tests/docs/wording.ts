/** Words that were given up for a term of CONTRIBUTING.md's glossary, or for a sentence with a subject. */
const givenUp = [
  'he',
  'him',
  'himself',
  'his',
  'hears?',
  'heard',
  'nobody foresaw',
  'in line',
  'places?',
  'room',
  'what is there',
  'journals?',
  'executors?',
  'storms?',
  'doors?',
  'weather\\w*',
  'takes? it for',
  'takes? away',
  'taken away',
  'for ever',
  'hedg(?:e[ds]?|ing)',
  'byte (?:service|tools)',
  'nameless',
  'wire (?:answers?|caches?|clients?|protocols?|requests?|servers?)',
  'stream turns?',
];

/** Allowed uses of such a word: names on the wire, addresses, and English idioms. */
const allowed =
  /get_journal|journal_feed|JournalController|\/_admin\/(public_)?journal\S*|public_journal\w*|TRUNKLINE_JOURNAL_DAYS|\bin (the )?place\b|\btake(s|n)? place\b|in place of|into place|adoption-in-place/gi;

const pattern = new RegExp(`\\b(?:${givenUp.join('|')})\\b`, 'gi');

/** Units of sizes that pages do without: kB, MB and GB are decimal, as the service shows sizes. Benchmarks name their own. */
const units = /\b(?:KB|[KMGT]iB)\b/g;

// The pattern of comments skips `//` within an address.
export const comments = /\/\*[\s\S]*?\*\/|(?<![:'"`/\w\\])\/\/.*$/gm;
const testNames = /\b(?:it|describe|test)(?:\.\w+)?(?:\((?:[^()]|\([^()]*\))*\))?\(\s*(['`])(?:(?!\1)[^\\]|\\.)*\1/g;

export interface Finding {
  readonly line: number;
  readonly word: string;
}

function lineOf(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}

function findIn(whole: string, part: string, at: number): Finding[] {
  const shown = part.replaceAll(allowed, (use) => ' '.repeat(use.length));
  return [...shown.matchAll(pattern)].map(({ 0: word, index }) => ({ line: lineOf(whole, at + index), word }));
}

/** Finds words that were given up in a source file's comments and test names, or in a whole page. */
export function wordsGivenUp(path: string, text: string): Finding[] {
  if (path.endsWith('.md')) {
    const unitsOf = path === 'docs/performance.md' ? [] : [...text.matchAll(units)];
    return [...findIn(text, text, 0), ...unitsOf.map(({ 0: word, index }) => ({ line: lineOf(text, index), word }))];
  }
  const parts = [...text.matchAll(comments), ...(path.includes('.test.') ? text.matchAll(testNames) : [])];
  return parts.flatMap(({ 0: part, index }) => findIn(text, part, index));
}
