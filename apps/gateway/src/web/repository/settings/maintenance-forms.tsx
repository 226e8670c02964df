import type { StorageRecord } from '@trunkline/contracts';
import { CheckField, SelectField } from '../../form/fields.tsx';
import { CsrfField } from '../../layout/page.tsx';
import type { Visit } from '../../visit.ts';
import type { RepositoryHead } from '../repository-head.ts';
import { settingsPath } from './settings-frame.tsx';
import { When } from '../../layout/inline.tsx';

interface MaintainFormsProps {
  readonly visit: Visit;
  readonly repository: RepositoryHead;
}

function RemoveForm({ visit: { visitor }, repository: { repo_name: name } }: MaintainFormsProps) {
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
export function MaintainForms({ visit, repository }: MaintainFormsProps) {
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

interface MoveFormProps {
  readonly visit: Visit;
  readonly repository: RepositoryHead;
  /** All storages; none for a visitor who does not administer the service. */
  readonly storages: readonly StorageRecord[];
}

/** Renders the storage of a repository, and a form that moves the repository to another one. */
export function MoveForm({ visit: { visitor, form }, repository, storages }: MoveFormProps) {
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

interface VerificationFormProps {
  readonly visit: Visit;
  readonly repository: RepositoryHead;
}

/** Renders what was found when all of a repository was read, and for administrators a button that has it read again. */
export function VerificationForm({
  visit: { visitor },
  repository: { repo_name: name, verification },
}: VerificationFormProps) {
  if (!verification) return null;
  const { verified_on: date, damaged } = verification;
  return (
    <section>
      <h3>Verification</h3>
      <p class={damaged ? 'error' : undefined}>
        {date === null ? (
          'All of the repository was not read yet to find damage.'
        ) : (
          <>
            All of the repository was read <When date={date} />:{' '}
            {damaged ? 'something is damaged or missing.' : 'it is whole.'}
          </>
        )}
      </p>
      {visitor.admin && (
        <form method="post" action={settingsPath(name, 'maintenance')}>
          <CsrfField visitor={visitor} />
          <button class="plain" name="act" value="verify">
            Read all of it now
          </button>
        </form>
      )}
    </section>
  );
}
