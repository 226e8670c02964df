import { endOfScalar, endOfString, isSpace } from './json-tokens.ts';

/** Returns the index after a string's closing quote, or the length when the quote is missing. */
function endOfLooseString(bytes: Uint8Array, start: number): number {
  let index = start + 1;
  while (index < bytes.length) {
    if (bytes[index] === 0x22) return index + 1;
    index += bytes[index] === 0x5c ? 2 : 1;
  }
  return bytes.length;
}

/**
 * Returns whether bytes that are not JSON open more than `levels` brackets and braces from `start` on. Such a body is
 * refused for its depth wherever its first fault is, so that the error says what has to be mended in any case.
 */
function nestsTooDeep(bytes: Uint8Array, start: number, levels: number): boolean {
  let left = levels;
  let index = start;
  while (index < bytes.length && left >= 0) {
    const byte = bytes[index] ?? 0;
    if (byte === 0x22) {
      index = endOfLooseString(bytes, index);
      continue;
    }
    // 0x20 is all that distinguishes brackets from braces: 0x5b and 0x7b open, 0x5d and 0x7d close.
    if ((byte & 0xdf) === 0x5b) left -= 1;
    else if ((byte & 0xdf) === 0x5d) left += 1;
    index += 1;
  }
  return left < 0;
}

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** Why bytes are refused: they are not JSON, or are nested too deep, or have too many values and names. */
export type ScanFailure = 'syntax' | 'depth' | 'tokens';

interface Scan {
  readonly failure: ScanFailure | null;
  /** The wanted members of the outermost object as written; of duplicate members the last one, as in JSON.parse. */
  readonly members: ReadonlyMap<string, Uint8Array>;
}

export interface ScanLimits {
  /** Names of the members that are wanted. */
  readonly names: readonly string[];
  readonly depthMax: number;
  /** Maximum number of values and names together. */
  readonly tokensMax: number;
}

/** Characters that an escape takes at most for a character of a name, and the two quotes. */
const rawCharsMax = (name: string) => name.length * 6 + 2;

class JsonScanner {
  readonly members = new Map<string, Uint8Array>();
  readonly #bytes: Uint8Array;
  readonly #limits: ScanLimits;
  readonly #rawNameMax: number;
  #index = 0;
  #depth = 0;
  #tokens = 0;
  #exceeded: 'depth' | 'tokens' | null = null;

  constructor(bytes: Uint8Array, limits: ScanLimits) {
    this.#bytes = bytes;
    this.#limits = limits;
    this.#rawNameMax = Math.max(...limits.names.map(rawCharsMax));
  }

  run(): ScanFailure | null {
    this.#skipSpace();
    const isRead = this.#readValue();
    this.#skipSpace();
    if (isRead && this.#index === this.#bytes.length) return null;
    if (this.#exceeded) return this.#exceeded;
    return nestsTooDeep(this.#bytes, this.#index, this.#limits.depthMax - this.#depth) ? 'depth' : 'syntax';
  }

  #skipSpace(): void {
    while (isSpace(this.#bytes[this.#index])) this.#index += 1;
  }

  /** Reads a value; returns false when there is none, with the index at the token that is wrong. */
  #readValue(): boolean {
    const byte = this.#bytes[this.#index];
    if (byte === openBrace) return this.#readNested(closeBrace);
    if (byte === openBracket) return this.#readNested(closeBracket);
    return this.#readToken(endOfScalar(this.#bytes, this.#index));
  }

  #readToken(end: number): boolean {
    if (end < 0) return false;
    this.#tokens += 1;
    if (this.#tokens > this.#limits.tokensMax) this.#exceeded = 'tokens';
    else this.#index = end;
    return this.#exceeded === null;
  }

  /** Reads an object or a list. The depth is bounded, and with it this recursion. */
  #readNested(close: number): boolean {
    if (this.#depth >= this.#limits.depthMax) this.#exceeded = 'depth';
    if (this.#exceeded || !this.#readToken(this.#index + 1)) return false;
    this.#depth += 1;
    this.#skipSpace();
    if (this.#bytes[this.#index] !== close) {
      do {
        if (!(close === closeBrace ? this.#readMember() : this.#readValue())) return false;
      } while (this.#readComma());
    }
    if (this.#bytes[this.#index] !== close) return false;
    this.#index += 1;
    this.#depth -= 1;
    return true;
  }

  #readComma(): boolean {
    this.#skipSpace();
    if (this.#bytes[this.#index] !== comma) return false;
    this.#index += 1;
    this.#skipSpace();
    return true;
  }

  #readMember(): boolean {
    const start = this.#index;
    if (this.#bytes[start] !== quote || !this.#readToken(endOfString(this.#bytes, start))) return false;
    const name = this.#depth === 1 ? this.#wantedName(start, this.#index) : undefined;
    this.#skipSpace();
    if (this.#bytes[this.#index] !== colon) return false;
    this.#index += 1;
    this.#skipSpace();
    const valueStart = this.#index;
    if (!this.#readValue()) return false;
    if (name !== undefined) this.members.set(name, this.#bytes.subarray(valueStart, this.#index));
    return true;
  }

  #wantedName(start: number, end: number): string | undefined {
    if (end - start > this.#rawNameMax) return undefined;
    const spelled: unknown = JSON.parse(Buffer.from(this.#bytes.subarray(start, end)).toString());
    return this.#limits.names.find((name) => name === spelled);
  }
}

/**
 * Checks the whole syntax of JSON in UTF-8 and finds members of the outermost object, without building any value. The
 * members of bytes that are not JSON, such as the beginning of a text, are those before the fault.
 */
export function scanJson(bytes: Uint8Array, limits: ScanLimits): Scan {
  const scanner = new JsonScanner(bytes, limits);
  return { failure: scanner.run(), members: scanner.members };
}
