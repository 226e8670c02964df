import type { Reply } from './read-reply.ts';

// JSON leaves these as they are, and terminals act on them: C1 controls, and marks that reverse the text.
const unsafe = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

function escapeUnsafe(json: string): string {
  return json.replace(unsafe, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The result for people: indented, members by name; an error is told apart by its first word. */
export function formatPretty({ result, error }: Reply): string {
  if (error !== null) return `ERROR:${escapeUnsafe(JSON.stringify(error))}`;
  return escapeUnsafe(JSON.stringify(result, sortKeys, 4));
}

/** The result, or the error's text, as one line of JSON. */
export function formatJson({ result, error }: Reply): string {
  return escapeUnsafe(JSON.stringify(error ?? result));
}
