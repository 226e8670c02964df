import { CheckField } from '../../form/fields.tsx';
import { CsrfField } from '../../layout/page.tsx';
import type { Visit } from '../../visit.ts';
import type { RepositoryHead } from '../head/repository-head.ts';
import { settingsPath } from './settings-frame.tsx';

interface Props {
  readonly visit: Visit;
  readonly repository: RepositoryHead;
}

function RemoveForm({ visit: { visitor }, repository: { repo_name: name } }: Props) {
  return (
    <form method="post" action={settingsPath(name, 'maintenance')} class="stacked">
      <CsrfField visitor={visitor} />
      <p class="warning">
        Removes for good what no branch, tag or other reference leads to any more, such as a pushed secret after its
        branch was replaced or deleted. Forks and clones keep what they have.
      </p>
      <CheckField label="Yes, remove unreachable objects" name="confirmed" checked={false} required />
      <button class="danger" name="act" value="remove_unreachable">
        Remove unreachable objects
      </button>
    </form>
  );
}

/** Renders the forms that pack the files of a repository, and that remove what nothing leads to. */
export function MaintainForms({ visit, repository }: Props) {
  const { repo_name: name, repo_type: type, last_changeset: last } = repository;
  return (
    <section>
      <h3>Files</h3>
      <p>Packs the files of the repository, which else is done after a number of changes. It can be used meanwhile.</p>
      <form method="post" action={settingsPath(name, 'maintenance')}>
        <CsrfField visitor={visit.visitor} />
        <button class="plain" name="act" value="maintain">
          Pack files
        </button>
      </form>
      {type === 'git' && last !== null && <RemoveForm visit={visit} repository={repository} />}
    </section>
  );
}
