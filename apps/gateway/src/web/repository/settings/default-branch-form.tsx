import { TextField } from '../../form/fields.tsx';
import { CsrfField } from '../../layout/page.tsx';
import type { Visit } from '../../visit.ts';
import type { RepositoryHead } from '../head/repository-head.ts';
import { settingsPath } from './settings-frame.tsx';

interface Props {
  readonly visit: Visit;
  readonly repository: RepositoryHead;
  /** Whether a form was refused, whose entries are shown again. */
  readonly refused: boolean;
}

/** Renders a form for the branch that clients of git check out; nothing for other repositories, and for empty ones. */
export function DefaultBranchForm({ visit: { visitor, form }, repository, refused }: Props) {
  const { repo_name: name, repo_type: type, default_branch: branch, last_changeset: last } = repository;
  if (type !== 'git' || last === null) return null;
  const entered = refused ? form.get('default_branch') : null;
  return (
    <section>
      <h3>Default branch</h3>
      <form method="post" action={settingsPath(name, 'maintenance')} class="stacked">
        <CsrfField visitor={visitor} />
        <TextField
          label="Branch"
          name="default_branch"
          value={entered ?? branch ?? ''}
          maxlength={255}
          required
          hint="Clones check out this branch."
        />
        <button class="plain" name="act" value="default_branch">
          Change
        </button>
      </form>
    </section>
  );
}
