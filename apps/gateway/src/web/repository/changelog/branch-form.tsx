import { cutText } from '../../render/text/cut-text.ts';
import { shownText } from '../../render/text/shown-text.ts';
import { sortedRefs, type Refs } from '../refs/changeset-refs.ts';

const offeredMax = 1_000;
const nameCharsMax = 80;

/** Renders the form that chooses the branch whose changesets are listed; '' is every branch. */
export function BranchForm({ path, refs, branch }: { path: string; refs: Refs; branch: string }) {
  const branches = sortedRefs(refs, 'branch');
  const offered = branches.slice(0, offeredMax);
  const isOffered = branch === '' || offered.some(({ name }) => name === branch);
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
          {offered.map(({ name, isClosed }) => (
            <option value={name} selected={name === branch}>
              {shownText(cutText(name, nameCharsMax))}
              {isClosed && ' (closed)'}
            </option>
          ))}
        </select>
      </label>
      <button class="plain">Show</button>
      {branch !== '' && <a href={path}>Show all</a>}
    </form>
  );
}
