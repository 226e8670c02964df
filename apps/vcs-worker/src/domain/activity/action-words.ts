import { lastSegment } from '@trunkline/contracts';

type Args = Readonly<Record<string, unknown>>;

/** Returns whether a call renamed the repository; false for an id as `repoid`, which leaves the former name unknown. */
function renamed({ repoid, name }: Args): boolean {
  const named = typeof repoid === 'string' && !/^\d+$/.test(repoid);
  return named && typeof name === 'string' && name !== '' && name !== lastSegment(repoid);
}

/** Stands for a method in entries about clones and fetches, which are counted instead of recorded. */
export const fetchAction = '(fetch)';

const words = new Map<string, (args: Args) => string>([
  ['create_repo', () => 'created'],
  ['fork_repo', () => 'forked'],
  ['delete_repo', () => 'deleted'],
  ['restore_repo', () => 'restored'],
  ['pull', () => 'pulled from remote into'],
  ['push', () => 'pushed into'],
  [fetchAction, () => 'pulled from'],
  ['follow_repo', () => 'started following'],
  ['unfollow_repo', () => 'stopped following'],
  ['update_repo', (args) => (renamed(args) ? 'renamed' : 'updated')],
]);

/** The methods that are shown as activity. */
export const shownMethods: readonly string[] = [...words.keys()];

/** Describes a call in words that precede the repository's name. */
export function actionWords(method: string, args: Args): string {
  return words.get(method)?.(args) ?? method;
}
