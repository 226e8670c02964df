import type { ReplyEnvelope } from '@trunkline/contracts';

/** Kind of a reply, in one letter: `+` a result, `0` the result null, `?` an unknown error, else a known error text. */
export type AnswerLetter = '+' | '0' | '-' | 'n' | 'x' | 's' | 'o' | 'p' | 'g' | 'f' | '?';

const texts: Readonly<Record<string, AnswerLetter>> = {
  'Access was denied to this resource.': 'x',
  'userid is not the same as your user': 's',
  'Only admin can specify `owner` param': 'o',
  'no permission to create (or move) repositories': 'p',
};

/** Returns the kind of a reply to a call with these arguments; error texts must match exactly. */
export function answerLetter(
  { result, error }: ReplyEnvelope,
  args: Readonly<Record<string, unknown>>,
  group: string,
): AnswerLetter {
  if (error === null) return result === null ? '0' : '+';
  const repoid = String(args['repoid']);
  const dynamic: Readonly<Record<string, AnswerLetter>> = {
    [`repository \`${repoid}\` does not exist`]: '-',
    [`operation \`${String(args['operation_id'])}\` does not exist`]: 'n',
    [`no permission to create repo in ${group}`]: 'g',
    [`Unable to pull changes from \`${repoid}\``]: 'f',
    [`failed to get repo: \`${repoid}\` nodes`]: 'f',
  };
  return texts[error] ?? dynamic[error] ?? '?';
}
