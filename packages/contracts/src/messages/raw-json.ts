/** Stands for the texts while a value is encoded; nobody outside of this process knows it. */
const placeholder = crypto.randomUUID();
let texts: string[] = [];

class RawJson {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toJSON(): string {
    texts.push(this.#text);
    return placeholder;
  }
}

/**
 * Returns what stands in a result for a value that exists as JSON only, as Postgres has made it: `encodeJson` passes the
 * text on. Nothing may read the members of the value.
 */
export function rawJson(text: string): unknown {
  return new RawJson(text);
}

/** Encodes a value as JSON, with the texts of `rawJson` in it. */
export function encodeJson(value: unknown): string {
  texts = [];
  const json = JSON.stringify(value) ?? 'null';
  if (texts.length === 0) return json;
  const found = texts;
  texts = [];
  const parts = json.split(`"${placeholder}"`);
  if (parts.length !== found.length + 1) throw new Error('the JSON of a result has other parts than its texts');
  return parts.map((part, at) => part + (found[at] ?? '')).join('');
}
