import { findMethod, methods, type Method } from '@trunkline/contracts';
import { closestName, suggestion } from './closest-name.ts';

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
