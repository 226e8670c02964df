import * as v from 'valibot';

const form = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d:\d\d(?:\.\d{1,3})?))?$/;
const reason = 'must be a date (2016-05-16) or a time stamp (2016-05-16T14:00:00)';

/** One end of a span of time, in UTC: a time stamp as records show it, or a day with all of its hours. */
export function dateBound(end: 'start' | 'end'): v.GenericSchema<unknown, Date> {
  const hours = end === 'start' ? '00:00:00' : '23:59:59.999';
  return v.pipe(
    v.unknown(),
    v.string(reason),
    v.rawTransform(({ dataset, addIssue, NEVER }) => {
      const [, day = '', time = hours] = form.exec(dataset.value) ?? [];
      const date = new Date(`${day}T${time}Z`);
      // JavaScript reads 31 February as a day of March.
      if (!Number.isNaN(date.getTime()) && date.toISOString().startsWith(day)) return date;
      addIssue({ message: reason });
      return NEVER;
    }),
  );
}
