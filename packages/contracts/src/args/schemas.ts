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

/** Returns the schema of an integer in a range, also as digits, because command-line clients can send only strings. */
export function wholeNumber(min: number, max: number): v.GenericSchema<unknown, number> {
  const message = `must be a whole number from ${min} to ${max}`;
  return v.pipe(
    v.unknown(),
    v.transform((value) => (typeof value === 'string' && /^-?[0-9]{1,15}$/.test(value) ? Number(value) : value)),
    v.number(message),
    v.check((value) => Number.isInteger(value) && value >= min && value <= max, message),
  );
}

const flagWords = new Map([
  ...['true', 't', 'yes', 'y', 'on', '1'].map((word) => [word, true] as const),
  ...['false', 'f', 'no', 'n', 'off', '0'].map((word) => [word, false] as const),
]);

/** A JSON boolean, the number 0 or 1, or, because command-line clients can send only strings, a word such as `yes`. */
export const flag = v.pipe(
  v.unknown(),
  v.transform((value) => {
    if (value === 0 || value === 1) return value === 1;
    return typeof value === 'string' ? flagWords.get(value.trim().toLowerCase()) : value;
  }),
  v.boolean('must be a boolean'),
);

/**
 * A revision as the client sends it; null is the tip. The worker parses it and reports text that it cannot parse as an
 * unknown revision.
 */
export const revision: v.GenericSchema<unknown, string | number | null> = v.pipe(
  v.unknown(),
  // The check gives one clear message; the union only narrows the type.
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed || dataset.value === null) return;
    if (typeof dataset.value === 'number' && Number.isInteger(dataset.value)) return;
    if (typeof dataset.value !== 'string') return addIssue({ message: 'must be a string or an integer' });
    const checked = v.safeParse(text(1_000), dataset.value);
    if (!checked.success) addIssue({ message: checked.issues[0].message });
  }),
  v.union([v.string(), v.number(), v.null()]),
);

const datePattern = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d:\d\d(?:\.\d{1,3})?))?$/;
const dateMessage = 'must be a date (2016-05-16) or a time stamp (2016-05-16T14:00:00)';

/**
 * Returns the schema of one end of a time range: a UTC time stamp without a zone, or a day, which stands for its first
 * or last millisecond.
 */
export function dateBound(end: 'start' | 'end'): v.GenericSchema<unknown, Date> {
  const defaultTime = end === 'start' ? '00:00:00' : '23:59:59.999';
  return v.pipe(
    v.unknown(),
    v.string(dateMessage),
    v.rawTransform(({ dataset, addIssue, NEVER }) => {
      // Text that does not match gives an invalid date.
      const [, day = '', time = defaultTime] = datePattern.exec(dataset.value) ?? [];
      const date = new Date(`${day}T${time}Z`);
      // JavaScript reads 31 February as a day of March.
      if (!Number.isNaN(date.getTime()) && date.toISOString().startsWith(day)) return date;
      addIssue({ message: dateMessage });
      return NEVER;
    }),
  );
}

export interface EmailAddress {
  /** The argument as the client sent it, for error texts such as "already exist". */
  readonly sent: string;
  /** The address as it is stored, in lower case. */
  readonly address: string;
}

const emailCharsMax = 254;

export const emailAddress: v.GenericSchema<unknown, EmailAddress> = v.pipe(
  text(emailCharsMax),
  v.check((sent) => /^[^\s@]+@[^\s@]+$/.test(sent.trim()), 'must be an e-mail address'),
  v.transform((sent) => ({ sent, address: sent.trim().toLowerCase() })),
);

/** Reference to an object by id or by exact name; `id` and `name` are both null when no such object can exist. */
export interface EntityRef {
  /** The argument as the client sent it, for error texts such as "does not exist". */
  readonly sent: string;
  readonly id: number | null;
  readonly name: string | null;
}

const idMax = 2 ** 31 - 1;

function byId(sent: string, id: number): EntityRef {
  return { sent, id: id >= 0 && id <= idMax ? id : null, name: null };
}

const integer = v.pipe(
  v.number(),
  v.integer(),
  v.transform((value) => byId(BigInt(value).toString(), value)),
);

const digitsOrName = v.pipe(
  text(255),
  v.transform((value) =>
    /^[0-9]+$/.test(value) ? byId(value, Number(value)) : { sent: value, id: null, name: value },
  ),
);

const nothing = v.pipe(
  v.null(),
  v.transform(() => ({ sent: 'None', id: null, name: null })),
);

/** A JSON integer or a string of digits is an id; any other string is an exact name; null refers to no object. */
export const entityRef: v.GenericSchema<unknown, EntityRef> = v.pipe(
  v.unknown(),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed || dataset.value === null) return;
    const value = dataset.value;
    if (typeof value === 'number' && Number.isInteger(value)) return;
    if (typeof value !== 'string') return addIssue({ message: 'must be an id or a name' });
    const checked = v.safeParse(text(255), value);
    if (!checked.success) addIssue({ message: checked.issues[0].message });
  }),
  v.union([integer, digitsOrName, nothing]),
);

/** Characters of a name, and of the comma and space behind it. */
const refCharsMax = 257;

/**
 * Returns the schema of 1 to `countMax` references, each as in `entityRef`: a list, one alone, or a string with commas,
 * because command-line clients can send only strings. Names have no commas.
 */
export function entityRefs(countMax: number): v.GenericSchema<unknown, EntityRef[]> {
  const message = `must name 1 to ${countMax} objects`;
  const list: v.GenericSchema<unknown, unknown[]> = v.union(
    [
      v.array(v.unknown()),
      v.pipe(
        text(countMax * refCharsMax),
        v.transform((value) => value.split(',').map((one) => one.trim())),
      ),
      v.pipe(
        v.number(),
        v.transform((value) => [value]),
      ),
    ],
    message,
  );
  return v.pipe(
    list,
    v.check((refs) => refs.length >= 1 && refs.length <= countMax && !refs.includes(''), message),
    v.array(entityRef),
  );
}
