import type { StorageRecord } from '@trunkline/contracts';
import { CheckField, SelectField } from '../../form/fields.tsx';
import { CsrfField } from '../../layout/page.tsx';
import type { Visit } from '../../visit.ts';
import type { RepositoryHead } from '../head/repository-head.ts';
import { settingsPath } from './settings-frame.tsx';

interface Props {
  readonly visit: Visit;
  readonly repository: RepositoryHead;
  /** All storages; none for a visitor who does not administer the service. */
  readonly storages: readonly StorageRecord[];
}

/** Renders the storage of a repository, and a form that moves the repository to another one. */
export function MoveForm({ visit: { visitor, form }, repository, storages }: Props) {
  const { repo_name: name, storage } = repository;
  const others = storages.filter((other) => other.name !== storage && other.state === 'active');
  if (storage === null || storages.length < 2) return null;
  return (
    <section>
      <h3>Storage</h3>
      <p>
        The bytes of the repository are on the storage {storage}. It can be read while it moves to another one, and
        changed but for the end of the move.
      </p>
      {others.length > 0 && (
        <form method="post" action={settingsPath(name, 'maintenance')} class="stacked">
          <CsrfField visitor={visitor} />
          <SelectField
            label="Move to"
            name="storage"
            value={form.get('storage') ?? ''}
            choices={Object.fromEntries(others.map((other) => [other.name, other.name]))}
          />
          <CheckField
            label="Also the repository it is a fork of, and all forks"
            name="family"
            checked={form.has('family')}
            hint="Those on the same storage; what they share on the disk stays shared."
          />
          <button class="plain" name="act" value="move">
            Move
          </button>
        </form>
      )}
    </section>
  );
}
