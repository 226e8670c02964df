import * as v from 'valibot';
import { text } from './text.ts';

const grammar = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)Z?)?$/;

/** A point in time in UTC as records show it; a date alone is its first moment. */
export const moment: v.GenericSchema<unknown, Date> = v.pipe(
  text(40),
  v.transform((value) => {
    const [, day, time] = grammar.exec(value) ?? [];
    return new Date(`${day ?? ''}T${time ?? '00:00'}Z`);
  }),
  v.check((date) => !Number.isNaN(date.getTime()), 'must be a date, or a date and time such as 2026-01-31T12:00:00'),
);
