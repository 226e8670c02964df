import * as v from 'valibot';
import { text } from './text.ts';

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
