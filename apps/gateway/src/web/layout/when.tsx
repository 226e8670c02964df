import { age } from '../render/text/age.ts';

/** A point in time as an age; time stamps of records are in UTC without a zone. */
export function When({ date }: { date: string }) {
  const { text, title } = age(new Date(`${date}Z`), new Date());
  return (
    <time class="nowrap" {...(title === '' ? {} : { datetime: `${date}Z`, title })}>
      {text}
    </time>
  );
}
