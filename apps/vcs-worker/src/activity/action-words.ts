import { lastSegment } from '../repo/repository-name.ts';

type Args = Readonly<Record<string, unknown>>;

/** The name in the arguments; undefined for an id, which does not tell the name it had then. */
function renamed({ repoid, name }: Args): boolean {
  const named = typeof repoid === 'string' && !/^\d+$/.test(repoid);
  return named && typeof name === 'string' && name !== '' && name !== lastSegment(repoid);
}

const words = new Map<string, (args: Args) => string>([
  ['create_repo', () => 'created'],
  ['fork_repo', () => 'forked'],
  ['delete_repo', () => 'deleted'],
  ['pull', () => 'pulled from remote into'],
  ['follow_repo', () => 'started following'],
  ['unfollow_repo', () => 'stopped following'],
  ['update_repo', (args) => (renamed(args) ? 'renamed' : 'updated')],
]);

/** The methods that are shown as activity. */
export const toldMethods: readonly string[] = [...words.keys()];

/** What a call did, in words that precede the repository's name. */
export function actionWords(method: string, args: Args): string {
  return words.get(method)?.(args) ?? method;
}
