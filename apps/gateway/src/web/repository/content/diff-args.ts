import type { Visit } from '../../visit.ts';
import type { PageAddress } from '../repository-page.ts';

/** Returns the revision and the diff options in a page's address; of a range, only the last revision counts. */
export function diffArgsOf({ query }: Pick<Visit, 'query'>, { repoid, rest: [revision = 'tip'] }: PageAddress) {
  const last = revision.split('...').at(-1) || 'tip';
  const context = query.get('context');
  return {
    repoid,
    revision: last,
    ...(context ? { context } : {}),
    ignorews: query.get('ignorews') === '1',
  };
}
