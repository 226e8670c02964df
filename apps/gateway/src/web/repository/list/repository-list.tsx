import type { ListedRepository } from '@trunkline/contracts';
import { pathTo } from '../../http/path-segments.ts';
import { ChangesetLine } from '../../layout/inline.tsx';
import { RepositoryBadges } from '../../layout/repository-frame.tsx';
import { shownLines } from '../../render/shown-text.ts';

interface Props {
  readonly repositories: readonly ListedRepository[];
  /** The group whose content is listed, which is left out of the names. */
  readonly group: string | null;
}

/** Renders a list of repositories, each with its newest changeset. */
export function RepositoryList({ repositories, group }: Props) {
  return (
    <ul class="plain rows repository-list">
      {repositories.map((repository) => (
        <li>
          <Row repository={repository} group={group} />
        </li>
      ))}
    </ul>
  );
}

/** Returns a name relative to a group, or the whole name when it is not below the group. */
export function nameWithin(group: string | null, name: string): string {
  return group !== null && name.startsWith(`${group}/`) ? name.slice(group.length + 1) : name;
}

function Row({ repository, group }: { repository: ListedRepository; group: string | null }) {
  const { repo_name: name, description, owner, fork_of: source, last_changeset: last } = repository;
  return (
    <>
      <div class="title">
        <h3>
          <a href={pathTo(name)}>{nameWithin(group, name)}</a>
        </h3>
        <RepositoryBadges repository={repository} />
      </div>
      {description !== '' && <p class="description">{shownLines(description)}</p>}
      <p class="meta">
        {last ? <ChangesetLine repository={name} changeset={last} /> : <span>no changesets yet</span>}
        <span>owned by {owner}</span>
        {source !== null && (
          <span>
            fork of <a href={pathTo(source)}>{source}</a>
          </span>
        )}
        <a href={`${pathTo(name)}/feed/atom`}>
          Feed <span class="visually-hidden">of {name}</span>
        </a>
      </p>
    </>
  );
}
