import { lastSegment } from '../repo/repository-name.ts';

type Args = Readonly<Record<string, unknown>>;

/** Only where it is certain: an id does not tell the name that it stood for. */
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

/** The calls that journals tell of. */
export const toldMethods: readonly string[] = [...words.keys()];

/** What a call did, in words that go before the repository's name. */
export function actionWords(method: string, args: Args): string {
  return words.get(method)?.(args) ?? method;
}
