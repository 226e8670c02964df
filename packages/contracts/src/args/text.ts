import * as v from 'valibot';

const loneSurrogate = /\p{Surrogate}/u;

/** A string of at most `charsMax` UTF-16 units without NUL and without lone surrogates. */
export function text(charsMax: number) {
  return v.pipe(
    v.unknown(),
    v.string('must be a string'),
    v.maxLength(charsMax, `must be at most ${charsMax} characters`),
    v.check((value) => !value.includes('\0'), 'must not contain NUL'),
    v.check((value) => !loneSurrogate.test(value), 'must be well-formed Unicode'),
  );
}

/** Names longer than any valid one pass this check: the method refuses them with its own text. */
export const nameText = text(1_000);
