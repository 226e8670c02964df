import type { Reply } from './read-reply.ts';

// Characters that JSON does not escape and terminals act on: DEL, C1 controls, line separators, direction marks.
const unsafe = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

function escapeUnsafe(json: string): string {
  return json.replace(unsafe, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Formats a reply for people: a result indented, with its members sorted by name; an error after `ERROR:`. */
export function formatPretty({ result, error }: Reply): string {
  if (error !== null) return `ERROR:${escapeUnsafe(JSON.stringify(error))}`;
  return escapeUnsafe(JSON.stringify(result, sortKeys, 4));
}

/** Formats the result, or the error's text, as one line of JSON. */
export function formatJson({ result, error }: Reply): string {
  return escapeUnsafe(JSON.stringify(error ?? result));
}
