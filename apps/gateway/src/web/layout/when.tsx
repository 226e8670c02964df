import { age } from '../render/text/age.ts';

/** Renders the time stamp of a record, which is in UTC without a zone, as an age. */
export function When({ date }: { date: string }) {
  const { text, title } = age(new Date(`${date}Z`), new Date());
  return (
    <time class="nowrap" {...(title === '' ? {} : { datetime: `${date}Z`, title })}>
      {text}
    </time>
  );
}
