import { InvalidRequestError } from '@trunkline/contracts';
import type { Child } from 'hono/jsx';
import { rerenderOnError, type Refusal } from '../../form/rerender-on-error.ts';
import { noticeCookie } from '../../http/notice.ts';
import { CsrfField } from '../../layout/page.tsx';
import { seeOther } from '../../layout/show-page.tsx';
import type { Visit } from '../../visit.ts';
import type { RepositoryHead } from '../head/repository-head.ts';
import type { PageAddress, RepositoryPage } from '../repository-page.ts';
import { withoutRest } from '../without-rest.ts';
import { readAdministered, settingsPath, showSettings } from './settings-frame.tsx';

/** The actions of the buttons; each returns a notice. */
const acts: Readonly<Record<string, (visit: Visit, address: PageAddress) => Promise<string>>> = {
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
    return 'The repository was read again.';
  },
  async pull({ worker }, { repoid }) {
    await worker.call('pull', { repoid });
    return 'Everything new was pulled.';
  },
};

interface ActProps {
  readonly visit: Visit;
  readonly repository: RepositoryHead;
  readonly act: string;
  readonly button: string;
  readonly title: string;
  readonly children: Child;
}

function Act({ visit, repository, act, button, title, children }: ActProps) {
  return (
    <section>
      <h3>{title}</h3>
      <p>{children}</p>
      <form method="post" action={settingsPath(repository.repo_name, 'maintenance')}>
        <CsrfField visitor={visit.visitor} />
        <button class="plain" name="act" value={act}>
          {button}
        </button>
      </form>
    </section>
  );
}

function Acts({ visit, repository }: { visit: Visit; repository: RepositoryHead }) {
  const { locked_by: holder, clone_uri: source } = repository;
  const common = { visit, repository };
  return (
    <>
      {source !== null && visit.visitor.admin && (
        <Act {...common} act="pull" button="Pull now" title="Remote repository">
          Brings everything new from <span class="mono">{source}</span>.
        </Act>
      )}
      {holder === null ? (
        <Act {...common} act="lock" button="Lock" title="Lock">
          Nobody holds a lock. Who holds it is shown on every page of the repository.
        </Act>
      ) : (
        <Act {...common} act="unlock" button="Unlock" title="Lock">
          {holder} holds the lock.
        </Act>
      )}
      <Act {...common} act="invalidate_cache" button="Read again" title="Cache">
        Forgets whatever is remembered of the repository and reads its newest changeset again.
      </Act>
    </>
  );
}

async function show(visit: Visit, address: PageAddress, refusal: Refusal | null): Promise<Response> {
  const repository = await readAdministered(visit, address);
  const children = <Acts visit={visit} repository={repository} />;
  return showSettings(visit, address, { section: 'maintenance', repository, refusal, children });
}

async function act(visit: Visit, address: PageAddress): Promise<Response> {
  const name = visit.form.get('act') ?? '';
  const run = Object.hasOwn(acts, name) ? acts[name] : undefined;
  if (!run) throw new InvalidRequestError('The form names nothing to do');
  const done = await run(visit, address);
  return seeOther(settingsPath(address.name, 'maintenance'), noticeCookie(done));
}

/** Pulling, locking and emptying caches. */
export const maintenancePage: RepositoryPage = withoutRest({
  view: 'ReposController:edit_advanced',
  audience: 'users',
  get: (visit, address) => show(visit, address, null),
  post: (visit, address) =>
    rerenderOnError(
      () => act(visit, address),
      (refusal) => show(visit, address, refusal),
    ),
});
