/** What becomes of a body: the members of a request, or the client's text. */
export type EnvelopeOutcome =
  | { readonly id: string; readonly apiKey: unknown; readonly method: unknown; readonly args: unknown }
  | { readonly refusal: string };

const depthMax = 32;

function endOfString(text: string, start: number): number {
  for (let index = start + 1; index < text.length; index += text[index] === '\\' ? 2 : 1) {
    if (text[index] === '"') return index + 1;
  }
  return text.length;
}

function withoutSpace(text: string): string {
  return text.replaceAll(/("(?:[^"\\]|\\.)*")|\s/g, (_, literal: string | undefined) => literal ?? '');
}

/** Finds what counts in the text alone: whether it nests too deep, and the last id as written. */
function readText(text: string): { tooDeep: boolean; id: string | null } {
  let [depth, name, valueStart, id] = [0, '', -1, null as string | null];
  const endMember = (end: number) => {
    const spelled = valueStart < 0 ? '' : spell(name);
    if (spelled === 'id') id = text.slice(valueStart, end);
    valueStart = -1;
  };
  for (let index = 0; index < text.length;) {
    const character = text[index] ?? '';
    const end = character === '"' ? endOfString(text, index) : index + 1;
    if (character === '"' && depth === 1 && valueStart < 0) name = text.slice(index, end);
    if ('{['.includes(character)) depth += 1;
    if (depth > depthMax) return { tooDeep: true, id: null };
    if (depth === 1 && ',}]'.includes(character)) endMember(index);
    if ('}]'.includes(character)) depth -= 1;
    if (depth === 1 && character === ':') valueStart = index + 1;
    index = end;
  }
  return { tooDeep: false, id: id === null ? null : withoutSpace(id) };
}

function spell(rawName: string): unknown {
  try {
    return JSON.parse(rawName);
  } catch {
    return null;
  }
}

function parsed(body: Uint8Array): { text: string; value: unknown } | string {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    return 'JSON parse error ERR:invalid UTF-8';
  }
  if (readText(text).tooDeep) return `JSON parse error ERR:nested deeper than ${depthMax} levels`;
  try {
    return { text, value: JSON.parse(text) };
  } catch {
    return 'JSON parse error ERR:invalid JSON';
  }
}

/** Reads a request by decoding and parsing all of it: slow, and plainly right. */
export function referenceEnvelope(body: Uint8Array): EnvelopeOutcome {
  const read = parsed(body);
  if (typeof read === 'string') return { refusal: read };
  const { text, value } = read;
  const members = new Map<string, unknown>(
    typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [],
  );
  const apiKey = members.has('api_key') ? members.get('api_key') : members.get('auth_token');
  const missing = (name: string) => ({ refusal: `Incorrect JSON query missing '${name}'` });
  const { id } = readText(text);
  if (apiKey === undefined) return missing('api_key');
  if (id === null) return missing('id');
  for (const name of ['method', 'args']) if (!members.has(name)) return missing(name);
  return { id, apiKey, method: members.get('method'), args: members.get('args') };
}
