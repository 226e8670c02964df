import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'vitest';

const update = process.env['UPDATE_DOCS'] !== undefined;
const fileAt = (path: string) => new URL(`../../${path}`, import.meta.url);

/** Compares a file with the expected text, or writes that text with UPDATE_DOCS. */
export function expectFile(path: string, expected: string): void {
  if (update) writeFileSync(fileAt(path), expected);
  expect(readFileSync(fileAt(path), 'utf8')).toBe(expected);
}

/** Compares the part of a document between the marks of this name with the expected text, or writes that text. */
export function expectPart(path: string, name: string, expected: string): void {
  const text = readFileSync(fileAt(path), 'utf8');
  const [begin, end] = path.endsWith('.sql') ? ['-- ', ''] : ['<!-- ', ' -->'];
  const [open, close] = [`${begin}${name}${end}\n\n`, `\n\n${begin}end of ${name}${end}`];
  const from = text.indexOf(open) + open.length;
  const to = text.indexOf(close);
  expect(from).toBeGreaterThan(open.length - 1);
  expect(to).toBeGreaterThan(0);
  if (update) writeFileSync(fileAt(path), text.slice(0, from) + expected + text.slice(to));
  expect(update ? expected : text.slice(from, to)).toBe(expected);
}
