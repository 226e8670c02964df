import { encodeName } from '@trunkline/runtime/text';
import { pathTo } from '../../http/path-segments.ts';
import { shownText } from '../../render/shown-text.ts';
import type { Visit } from '../../visit.ts';
import type { ChangesetRange } from '../changeset/read-range.ts';
import { choicesMax, revisionChoices } from '../files/revision-form.tsx';
import type { RepositoryHead } from '../repository-head.ts';

/** Two revisions, and the name of the repository of the second where it is another one than that of the page. */
export interface Compared extends ChangesetRange {
  readonly other: string | null;
}

/** Returns the address of a comparison. */
export function compareAddress(repository: string, { from, to, other }: Compared): string {
  const path = `${pathTo(repository, 'compare')}/${encodeName(`${from}...${to}`)}`;
  return other === null ? path : `${path}?${new URLSearchParams({ other_repo: other }).toString()}`;
}

interface Choice {
  readonly name: string;
  readonly revision: string;
}

/** Reads the first references of a repository by their full names. */
async function readChoices({ worker }: Visit, type: RepositoryHead['repo_type'], repoid: number | string) {
  const found = await worker.call('list_refs', { repoid, limit: choicesMax });
  return revisionChoices(type, found).groups.flatMap(({ choices }) => choices);
}

/** Reads the references that are offered for both sides. */
export async function readSideChoices(
  visit: Visit,
  { repo_id: repoid, repo_type: type }: RepositoryHead,
  other: string | null,
) {
  const from = await readChoices(visit, type, repoid);
  return { from, to: other === null ? from : await readChoices(visit, type, other) };
}

interface SideProps {
  readonly side: 'from' | 'to';
  readonly label: string;
  readonly value: string;
  readonly choices: readonly Choice[];
}

function Side({ side, label, value, choices }: SideProps) {
  return (
    <label>
      {label}
      <input name={side} type="search" value={value} list={`${side}-choices`} maxlength={255} required />
      <datalist id={`${side}-choices`}>
        {choices.map(({ name, revision }) => (
          <option value={revision}>{shownText(name)}</option>
        ))}
      </datalist>
    </label>
  );
}

interface Props {
  readonly repository: string;
  readonly compared: Compared;
  readonly choices: Awaited<ReturnType<typeof readSideChoices>>;
}

/** Renders the form that chooses what is compared. */
export function CompareForm({ repository, compared: { from, to, other }, choices }: Props) {
  return (
    <form method="get" action={pathTo(repository, 'compare')} class="inline">
      <Side side="from" label="Compare from" value={from} choices={choices.from} />
      <Side side="to" label="Compare to" value={to} choices={choices.to} />
      <label>
        In the fork
        <input name="other_repo" type="search" value={other ?? ''} placeholder={repository} maxlength={255} />
      </label>
      <button class="plain">Compare</button>
      {to !== '' && (
        <a
          href={compareAddress(other ?? repository, { from: to, to: from, other: other === null ? null : repository })}
        >
          Swap sides
        </a>
      )}
    </form>
  );
}
