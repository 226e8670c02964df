import { age } from '../render/text/age.ts';

/** How long ago something was; the time stamps of records are of UTC and do not say so. */
export function When({ date }: { date: string }) {
  const { text, title } = age(new Date(`${date}Z`), new Date());
  return (
    <time class="nowrap" {...(title === '' ? {} : { datetime: `${date}Z`, title })}>
      {text}
    </time>
  );
}
