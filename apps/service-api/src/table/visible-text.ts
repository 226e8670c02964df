const named = new Map([
  ['\n', String.raw`\n`],
  ['\r', String.raw`\r`],
  ['\t', String.raw`\t`],
]);

// Control and format characters, line separators and lone surrogates: terminals act on them, or show nothing.
const unsafe = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => String.raw`\u${unit.toString(16).padStart(4, '0')}`).join('');
}

/** Returns a text as one line on which each character shows; those that a terminal would act on as JSON escapes them. */
export function visibleText(text: string): string {
  return text.replace(unsafe, (character) => named.get(character) ?? escaped(character));
}
