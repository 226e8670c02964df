import * as v from 'valibot';
import { entityRef, type EntityRef } from './entity-ref.ts';
import { text } from './text.ts';

/** Characters of a name, and of the comma and space behind it. */
const charsEach = 257;

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
        text(countMax * charsEach),
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
