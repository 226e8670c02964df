import { findMethod, methods } from '@trunkline/contracts';
import { closestName } from './closest-name.ts';

/** Returns `, did you mean ...?` for the name of a method that is like a known one; empty for any other name. */
export function suggestion(method: string): string {
  const meant = closestName(method, Object.keys(methods));
  return meant === undefined ? '' : `, did you mean ${meant}?`;
}

/** Names in a call that this client does not know. */
export interface UnknownNames {
  readonly text: string;
  /** Whether the call is likely to be mistyped: the service may be newer than this client and know the method. */
  readonly isLikelyMistake: boolean;
}

/** Returns what the client does not know of a call: its method, else arguments of it; null when it knows all names. */
export function unknownNames(methodName: string, args: Readonly<Record<string, string>>): UnknownNames | null {
  const method = findMethod(methodName);
  if (!method) {
    const meant = suggestion(methodName);
    return {
      text: `This client does not know the method ${JSON.stringify(methodName)}${meant}`,
      isLikelyMistake: meant !== '',
    };
  }
  const known = new Set(Object.entries(method.args).flatMap(([name, { aliases }]) => [name, ...aliases]));
  const unknown = Object.keys(args).filter((name) => !known.has(name));
  if (unknown.length === 0) return null;
  const names = unknown.map((name) => JSON.stringify(name)).join(', ');
  return { text: `${methodName} has no argument ${names}`, isLikelyMistake: true };
}
