import type { ResultOfMethod, Served } from '@trunkline/contracts';
import { cutText } from '../../render/text/cut-text.ts';
import { shownText } from '../../render/text/shown-text.ts';
import type { Visit } from '../../visit.ts';

const offeredMax = 200;
const nameCharsMax = 80;

/** The first branches of a repository, and the chosen one when there is such a branch. */
export type Branches = ResultOfMethod<Served['list_refs']>;

export function readBranches({ worker }: Visit, repoid: string | number, branch: string): Promise<Branches> {
  return worker.call('list_refs', { repoid, kind: 'branch', limit: offeredMax, named: branch || null });
}

interface Props {
  readonly path: string;
  readonly branches: Branches;
  readonly branch: string;
}

/** Renders the form that chooses the branch whose changesets are listed; '' is every branch. */
export function BranchForm({ path, branches: { refs, next }, branch }: Props) {
  const isOffered = branch === '' || refs.some(({ name }) => name === branch);
  return (
    <form method="get" action={path} class="inline">
      <label>
        Branch
        <select name="branch">
          <option value="">All branches</option>
          {!isOffered && (
            <option value={branch} selected>
              {shownText(cutText(branch, nameCharsMax))}
            </option>
          )}
          {refs.map(({ name, closed }) => (
            <option value={name} selected={name === branch}>
              {shownText(cutText(name, nameCharsMax))}
              {closed && ' (closed)'}
            </option>
          ))}
        </select>
      </label>
      {next !== null && (
        <label>
          Other branch
          <input name="named" type="search" maxlength={255} autocomplete="off" />
        </label>
      )}
      <button class="plain">Show</button>
      {branch !== '' && <a href={path}>Show all</a>}
    </form>
  );
}
