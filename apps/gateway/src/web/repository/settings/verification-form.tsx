import { CsrfField } from '../../layout/page.tsx';
import { When } from '../../layout/when.tsx';
import type { Visit } from '../../visit.ts';
import type { RepositoryHead } from '../head/repository-head.ts';
import { settingsPath } from './settings-frame.tsx';

interface Props {
  readonly visit: Visit;
  readonly repository: RepositoryHead;
}

/** Renders what was found when all of a repository was read, and for administrators a button that has it read again. */
export function VerificationForm({ visit: { visitor }, repository: { repo_name: name, verification } }: Props) {
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
