import * as v from 'valibot';
import { BusyError } from '../errors.ts';

/** What reads one kind of message, by the number of its format. */
export type FormatReaders<T> = Readonly<Record<number, (message: unknown) => T>>;

/** Release 0.1.0 wrote no number. */
const Numbered = v.object({ format: v.optional(v.number(), 1) });

/**
 * Reads a parsed message in the format that it names. Throws BusyError for a format that this release does not read:
 * nothing has been run, and a process of another release may read it. Throws ValiError for anything else.
 */
export function readFormat<T>(readers: FormatReaders<T>, message: unknown): T {
  const { format } = v.parse(Numbered, message);
  const read = Object.hasOwn(readers, format) ? readers[format] : undefined;
  if (read) return read(message);
  const why = `its format is ${format}, and this release reads ${Object.keys(readers).join(' and ')}`;
  throw new BusyError({ cause: new Error(`${why}: it was sent by a process more than one release apart`) });
}
