import { findMethod, type Method, methods } from '@trunkline/contracts';

/** Returns how many characters have to be inserted, removed or replaced to make one text of the other (Levenshtein). */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (const [index, character] of Array.from(one).entries()) {
    const next = [index + 1];
    for (let column = 0; column < other.length; column += 1) {
      const replaced = (row[column] ?? 0) + (character === other[column] ? 0 : 1);
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

const charsMax = 100;
/** Part of a name's characters that may be wrong for it still to be meant. */
const wrongPart = 0.34;

/** Returns the known name that a misspelt one is most like; undefined when it is like none. */
export function closestName(misspelt: string, known: readonly string[]): string | undefined {
  // The time grows with the length; no name is so long.
  if (misspelt.length > charsMax) return undefined;
  const [closest] = known
    .map((name) => ({ name, wrong: distance(misspelt.toLowerCase(), name) }))
    .filter(({ name, wrong }) => wrong <= name.length * wrongPart)
    .toSorted((a, b) => a.wrong - b.wrong);
  return closest?.name;
}

/** Returns `, did you mean ...?` for a name that is like a known one; empty for any other name. */
export function suggestion(misspelt: string, known: readonly string[]): string {
  const meant = closestName(misspelt, known);
  return meant === undefined ? '' : `, did you mean ${meant}?`;
}

/** Returns `, did you mean ...?` for the name of a method that is like a known one; empty for any other name. */
export function methodSuggestion(method: string): string {
  return suggestion(method, Object.keys(methods));
}

/** Names in a call that this client does not know. */
export interface UnknownNames {
  readonly text: string;
  /** Whether the call is likely to be mistyped: the service may be newer than this client and know the method. */
  readonly isLikelyMistake: boolean;
}

function unknownArguments({ name, args }: Method, sent: readonly string[]): string | null {
  const known = new Set(Object.entries(args).flatMap(([one, { aliases }]) => [one, ...aliases]));
  const unknown = [...new Set(sent)].filter((one) => !known.has(one));
  if (unknown.length === 0) return null;
  // An argument that the call has already was not meant.
  const missing = Object.keys(args).filter((one) => !sent.includes(one));
  const meant = new Set(unknown.flatMap((one) => closestName(one, missing) ?? []));
  const names = unknown.map((one) => JSON.stringify(one)).join(', ');
  return `${name} has no argument ${names}${meant.size === 0 ? '' : `, did you mean ${[...meant].join(', ')}?`}`;
}

/** Returns what the client does not know of a call: its method, else arguments of it; null when it knows all names. */
export function unknownNames(methodName: string, sent: readonly string[]): UnknownNames | null {
  const method = findMethod(methodName);
  if (method) {
    const text = unknownArguments({ ...method, name: methodName }, sent);
    return text === null ? null : { text, isLikelyMistake: true };
  }
  const meant = methodSuggestion(methodName);
  return {
    text: `This client does not know the method ${JSON.stringify(methodName)}${meant}`,
    isLikelyMistake: meant !== '',
  };
}
