import { ConflictError, type ArgsOfMethod, type Served } from '@trunkline/contracts';
import type { RepositoryAccess } from '../../authz/authorize.ts';
import { requireRepository } from '../../authz/require-repository.ts';
import { readRepository, resolveRevision } from '../../domain/repo/read-repository.ts';
import type { ComparedPair, VcsReads } from '../../vcs/backend.ts';
import type { ReadContext } from '../context.ts';
import type { RepositoryTools } from '../../worker-tools.ts';
import { shownError } from './at-revision.ts';

type Context = ReadContext & RepositoryTools;
type Asked = Pick<ArgsOfMethod<Served['compare_revisions']>, 'repoid' | 'from' | 'to' | 'other_repoid'>;

/** The repositories of a comparison, each of which its caller may read. */
interface ComparedRepositories {
  readonly from: RepositoryAccess;
  readonly to: RepositoryAccess;
}

/** Throws the error of a missing repository for one that may not be read, and else says why two cannot be compared. */
export async function requireCompared(
  { repoid, other_repoid: ref }: Asked,
  { access, requireOther }: Context,
): Promise<ComparedRepositories> {
  const from = requireRepository(access, repoid);
  const to = ref === null ? from : await requireOther(ref);
  if (to.type !== from.type) {
    throw new ConflictError(`\`${from.name}\` and \`${to.name}\` cannot be compared: one is of git, one of Mercurial`);
  }
  // Only a worker with both repositories on its disk reads them as one.
  if (to.storageId !== from.storageId) {
    throw new ConflictError(`\`${from.name}\` and \`${to.name}\` cannot be compared: they are on different storages`);
  }
  return { from, to };
}

interface ComparedSides {
  readonly pair: ComparedPair;
  /** The reads of the repository that has `to`, and its path. */
  readonly backend: VcsReads;
  readonly path: string;
}

/** Acts on the changesets that two revisions mean. Throws NotFoundError for one that means none. */
export async function withSides<T>(
  asked: Pick<Asked, 'from' | 'to'>,
  compared: ComparedRepositories,
  context: Context,
  act: (sides: ComparedSides) => Promise<T>,
): Promise<T> {
  const resolved = (side: 'from' | 'to') => {
    const revision = asked[side];
    const found = async (backend: VcsReads, path: string) => ({
      path,
      rawId: await resolveRevision(context, compared[side], { backend, path }, revision),
    });
    return readRepository(context, compared[side], (error) => shownError(error, revision), found);
  };
  // One after the other: a call has one slot.
  const from = await resolved('from');
  const { rawId: to } = await resolved('to');
  const fromPath = compared.from.id === compared.to.id ? null : from.path;
  return readRepository(
    context,
    compared.to,
    (error) => shownError(error, asked.to),
    (backend, path) => act({ pair: { from: from.rawId, to, fromPath }, backend, path }),
  );
}
