const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** Returns the index after a string's closing quote, or the text's length when the quote is missing. */
function endOfString(text: string, start: number): number {
  let index = start + 1;
  while (index < text.length) {
    const code = text.charCodeAt(index);
    if (code === quote) return index + 1;
    index += code === backslash ? 2 : 1;
  }
  return text.length;
}

function spells(rawName: string, name: string): boolean {
  if (!rawName.includes('\\')) return rawName === `"${name}"`;
  try {
    return JSON.parse(rawName) === name;
  } catch {
    return false;
  }
}

function isSpace(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d);
}

/** Removes the white space between the tokens of JSON text. */
function compact(text: string): string {
  const pieces: string[] = [];
  let start = 0;
  let index = 0;
  while (index < text.length) {
    const code = text.charCodeAt(index);
    if (isSpace(code)) {
      // An empty piece for each character of white space would take many times the memory of the text.
      if (index > start) pieces.push(text.slice(start, index));
      start = index + 1;
    }
    index = code === quote ? endOfString(text, index) : index + 1;
  }
  return pieces.join('') + text.slice(start);
}

export interface Scan {
  readonly tooDeep: boolean;
  /**
   * The top-level member's value as it was written, without white space between tokens; of duplicate members the last
   * one counts, as in JSON.parse. Null when the member is missing.
   */
  readonly rawValue: string | null;
}

/**
 * Scans JSON text before it is parsed: detects nesting beyond `depthMax`, and finds a member's value as written. The
 * result for text that is not JSON is meaningless; the scan never throws.
 */
export function scanJson(text: string, member: string, depthMax: number): Scan {
  let depth = 0;
  let name = '';
  let valueStart = -1;
  let rawValue: string | null = null;

  const endMember = (end: number) => {
    if (valueStart >= 0 && spells(name, member)) rawValue = text.slice(valueStart, end);
    valueStart = -1;
  };

  let index = 0;
  while (index < text.length) {
    const code = text.charCodeAt(index);
    if (code === quote) {
      const end = endOfString(text, index);
      if (depth === 1 && valueStart < 0) name = text.slice(index, end);
      index = end;
      continue;
    }
    if (code === openBrace || code === openBracket) {
      depth += 1;
      if (depth > depthMax) return { tooDeep: true, rawValue: null };
    } else if (code === closeBrace || code === closeBracket) {
      if (depth === 1) endMember(index);
      depth -= 1;
    } else if (depth === 1 && code === colon) valueStart = index + 1;
    else if (depth === 1 && code === comma) endMember(index);
    index += 1;
  }
  return { tooDeep: false, rawValue: rawValue === null ? null : compact(rawValue) };
}
