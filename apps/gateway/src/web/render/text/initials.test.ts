import { expect, it } from 'vitest';
import { colourIndex } from './colour-index.ts';
import { initials } from './initials.ts';

it.each([
  ['Ada Lovelace', 'AL'],
  ['ada', 'A'],
  ['Ada King-Noel, Countess of Lovelace', 'AL'],
  ['ada.lovelace@example.org', 'AO'],
  ['Ørsted', 'Ø'],
  ['  ', '?'],
  ['\u202E<script>', 'S'],
])('the initials of %j are %s', (name, letters) => {
  expect(initials(name)).toBe(letters);
});

it('takes letters only, not what is piled on them', () => {
  expect(initials(`a${'\u0300'.repeat(100_000)}`)).toBe('A');
});

it('gives a name the same colour always, and names all the colours', () => {
  const names = Array.from({ length: 1_000 }, (_, index) => `user ${index}`);
  const colours = names.map(colourIndex);
  expect(names.map(colourIndex)).toEqual(colours);
  expect(new Set(colours)).toEqual(new Set([0, 1, 2, 3, 4, 5, 6, 7]));
  expect(colourIndex('ada')).toBe(3);
});
