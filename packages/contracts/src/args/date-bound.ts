import * as v from 'valibot';

const pattern = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d:\d\d(?:\.\d{1,3})?))?$/;
const message = 'must be a date (2016-05-16) or a time stamp (2016-05-16T14:00:00)';

/**
 * Returns the schema of one end of a time range: a UTC time stamp without a zone, or a day, which stands for its first
 * or last millisecond.
 */
export function dateBound(end: 'start' | 'end'): v.GenericSchema<unknown, Date> {
  const defaultTime = end === 'start' ? '00:00:00' : '23:59:59.999';
  return v.pipe(
    v.unknown(),
    v.string(message),
    v.rawTransform(({ dataset, addIssue, NEVER }) => {
      // Text that does not match gives an invalid date.
      const [, day = '', time = defaultTime] = pattern.exec(dataset.value) ?? [];
      const date = new Date(`${day}T${time}Z`);
      // JavaScript reads 31 February as a day of March.
      if (!Number.isNaN(date.getTime()) && date.toISOString().startsWith(day)) return date;
      addIssue({ message });
      return NEVER;
    }),
  );
}
