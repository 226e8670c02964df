import type { Visit } from '../../visit.ts';
import type { PageAddress } from '../repository-page.ts';

/** Which changeset, and how its diff is to be; of a range only the last one counts. */
export function askedDiff({ query }: Pick<Visit, 'query'>, { repoid, rest: [revision = 'tip'] }: PageAddress) {
  const last = revision.split('...').at(-1) || 'tip';
  const context = query.get('context');
  return {
    repoid,
    revision: last,
    ...(context ? { context } : {}),
    ignorews: query.get('ignorews') === '1',
  };
}
