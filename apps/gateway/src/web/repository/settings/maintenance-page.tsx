import { InvalidArgsError, InvalidRequestError, sizeText } from '@trunkline/contracts';
import type { Child } from 'hono/jsx';
import { CheckField } from '../../form/fields.tsx';
import { rerenderOnError, type Refusal } from '../../form/form-route.ts';
import { noticeCookie } from '../../http/notice.ts';
import { CsrfField, seeOther } from '../../layout/page.tsx';
import type { Visit } from '../../visit.ts';
import type { RepositoryHead } from '../repository-head.ts';
import { withoutRest, type PageAddress, type RepositoryPage } from '../repository-page.ts';
import { MaintainForms, MoveForm, VerificationForm } from './maintenance-forms.tsx';
import { readForSettings, settingsPath, showSettings } from './settings-frame.tsx';

/** The actions by the values of their buttons; each returns the notice for the next page. */
const actions: Readonly<Record<string, (visit: Visit, address: PageAddress) => Promise<string>>> = {
  async lock({ worker }, { repoid }) {
    await worker.call('lock', { repoid, locked: true });
    return 'The repository is locked.';
  },
  async unlock({ worker }, { repoid }) {
    await worker.call('lock', { repoid, locked: false });
    return 'The repository is unlocked.';
  },
  async invalidate_cache({ worker }, { repoid }) {
    await worker.call('invalidate_cache', { repoid });
    return 'The cache of the repository was cleared.';
  },
  async pull({ worker, form }, { repoid }) {
    await worker.call('pull', form.has('prune') ? { repoid, prune: true } : { repoid });
    return 'All new changesets were pulled.';
  },
  async maintain({ worker }, { repoid }) {
    const { task } = await worker.call('maintain_repo', { repoid });
    return task === null ? 'The files of the repository are packed.' : 'The files of the repository are being packed.';
  },
  async remove_unreachable({ worker, form }, { repoid }) {
    if (!form.has('confirmed')) throw new InvalidArgsError('Nothing was removed: confirm the removal first');
    const { task } = await worker.call('maintain_repo', { repoid, remove_unreachable: true });
    return task === null ? 'Unreachable objects are removed.' : 'Unreachable objects are being removed.';
  },
  async verify({ worker }, { repoid }) {
    await worker.call('verify_repo', { repoid });
    return 'All of the repository will be read.';
  },
  async move({ worker, form }, { repoid }) {
    const args = { repoid, storage: form.get('storage') ?? '', family: form.has('family') };
    const { task } = await worker.call('move_repo', args);
    return task === null ? 'The repository was moved.' : 'The repository is being moved: see the page Operations.';
  },
};

interface ActionProps {
  readonly visit: Visit;
  readonly repository: RepositoryHead;
  readonly action: string;
  readonly button: string;
  readonly title: string;
  /** Fields before the button. */
  readonly fields?: Child;
  readonly children: Child;
}

function ActionForm({ visit, repository, action, button, title, fields, children }: ActionProps) {
  return (
    <section>
      <h3>{title}</h3>
      <p>{children}</p>
      <form method="post" action={settingsPath(repository.repo_name, 'maintenance')}>
        <CsrfField visitor={visit.visitor} />
        {fields}
        <button class="plain" name="act" value={action}>
          {button}
        </button>
      </form>
    </section>
  );
}

function PruneField({ checked }: { checked: boolean }) {
  return <CheckField label="Remove branches and tags that are gone there" name="prune" checked={checked} />;
}

function ActionForms({ visit, repository }: { visit: Visit; repository: RepositoryHead }) {
  const { locked_by: holder, clone_uri: source, size_bytes: size } = repository;
  const common = { visit, repository };
  return (
    <>
      {size !== null && (
        <section>
          <h3>Size</h3>
          <p>The repository takes {sizeText(size)} on the disk.</p>
        </section>
      )}
      <VerificationForm {...common} />
      {source !== null && visit.visitor.admin && (
        <ActionForm
          {...common}
          action="pull"
          button="Pull now"
          title="Remote repository"
          fields={repository.repo_type === 'git' && <PruneField checked={visit.form.has('prune')} />}
        >
          Pulls new changesets from <span class="mono">{source}</span>.
        </ActionForm>
      )}
      {holder === null ? (
        <ActionForm {...common} action="lock" button="Lock" title="Lock">
          The repository is not locked. The holder of a lock is shown on every page of the repository.
        </ActionForm>
      ) : (
        <ActionForm {...common} action="unlock" button="Unlock" title="Lock">
          The repository is locked by {holder}.
        </ActionForm>
      )}
      <ActionForm {...common} action="invalidate_cache" button="Clear cache" title="Cache">
        Clears the cache of this repository and reads its newest changeset again.
      </ActionForm>
    </>
  );
}

async function show(visit: Visit, address: PageAddress, refusal: Refusal | null): Promise<Response> {
  const repository = await readForSettings(visit, address, 'maintenance');
  const storages = visit.visitor.admin ? await visit.worker.call('get_storages') : [];
  const children = (
    <>
      <ActionForms visit={visit} repository={repository} />
      <MaintainForms visit={visit} repository={repository} />
      <MoveForm visit={visit} repository={repository} storages={storages} />
    </>
  );
  return showSettings(visit, address, { section: 'maintenance', repository, refusal, children });
}

async function runAction(visit: Visit, address: PageAddress): Promise<Response> {
  const name = visit.form.get('act') ?? '';
  const run = Object.hasOwn(actions, name) ? actions[name] : undefined;
  if (!run) throw new InvalidRequestError('The form does not name an action');
  const done = await run(visit, address);
  return seeOther(settingsPath(address.name, 'maintenance'), noticeCookie(done));
}

/** The page that pulls into a repository, and locks, packs and moves it. */
export const maintenancePage: RepositoryPage = withoutRest({
  pageName: 'ReposController:edit_advanced',
  audience: 'users',
  get: (visit, address) => show(visit, address, null),
  post: (visit, address) =>
    rerenderOnError(
      () => runAction(visit, address),
      (refusal) => show(visit, address, refusal),
    ),
});
