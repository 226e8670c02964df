import * as v from 'valibot';

const loneSurrogate = /\p{Surrogate}/u;

/** Returns the schema of a string of at most `charsMax` UTF-16 code units without NUL and without lone surrogates. */
export function text(charsMax: number) {
  return v.pipe(
    v.unknown(),
    v.string('must be a string'),
    v.maxLength(charsMax, `must be at most ${charsMax} characters`),
    v.check((value) => !value.includes('\0'), 'must not contain NUL'),
    v.check((value) => !loneSurrogate.test(value), 'must be well-formed Unicode'),
  );
}

/** Schema of a name. Its limit is above that of valid names, so that methods refuse long names with their own text. */
export const nameText = text(1_000);
