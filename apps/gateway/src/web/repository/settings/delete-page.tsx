import { ConflictError, InvalidArgsError } from '@trunkline/contracts';
import { CheckField } from '../../form/fields.tsx';
import { rerenderOnError, type Refusal } from '../../form/form-route.ts';
import { noticeCookie } from '../../http/notice.ts';
import { pathTo } from '../../http/path-segments.ts';
import { statusOf } from '../../http/web-error.ts';
import { CsrfField, seeOther } from '../../layout/page.tsx';
import type { Visit } from '../../visit.ts';
import type { RepositoryHead } from '../repository-head.ts';
import { withoutRest, type PageAddress, type RepositoryPage } from '../repository-page.ts';
import { readForSettings, settingsPath, showSettings } from './settings-frame.tsx';

function ForkChoice() {
  return (
    <fieldset>
      <legend>Its forks</legend>
      <label>
        <input type="radio" name="forks" value="detach" required />
        keep them as independent repositories
      </label>
      <label>
        <input type="radio" name="forks" value="delete" required />
        delete them, including their own forks
      </label>
    </fieldset>
  );
}

/** Says for how long what is deleted can be brought back; workers of the former release do not tell. */
function restorableText({ trash_days: days }: RepositoryHead): string {
  if (days === undefined) return '';
  if (days === 0) return 'It cannot be restored.';
  return `An administrator can restore it for ${days} ${days === 1 ? 'day' : 'days'}.`;
}

interface FormProps {
  readonly visit: Visit;
  readonly repository: RepositoryHead;
  readonly hasForks: boolean;
}

function DeleteForm({ visit, repository, hasForks }: FormProps) {
  const { repo_name: name } = repository;
  return (
    <form method="post" action={settingsPath(name, 'delete')} class="stacked">
      <CsrfField visitor={visit.visitor} />
      <p class="warning">
        This deletes <strong>{name}</strong> with all its changesets. {restorableText(repository)}
      </p>
      {hasForks && <ForkChoice />}
      <CheckField label={`Yes, delete ${name}`} name="confirmed" checked={false} required />
      <button class="danger">Delete this repository</button>
    </form>
  );
}

async function show(visit: Visit, address: PageAddress, refusal: Refusal | null): Promise<Response> {
  const repository = await readForSettings(visit, address, 'delete');
  // Forks that the visitor may not read are not counted, but prevent the deletion with a conflict, too.
  const hasForks = repository.forks > 0 || refusal?.status === statusOf(new ConflictError(''));
  const form = <DeleteForm visit={visit} repository={repository} hasForks={hasForks} />;
  return showSettings(visit, address, { section: 'delete', repository, refusal, children: form });
}

async function remove(visit: Visit, address: PageAddress): Promise<Response> {
  const { worker, form } = visit;
  const { repoid, name } = address;
  if (!form.has('confirmed')) throw new InvalidArgsError('Nothing was deleted: confirm the deletion first');
  const restorable = restorableText(await readForSettings(visit, address, 'delete'));
  await worker.call('delete_repo', { repoid, forks: form.get('forks') });
  const group = name.split('/').slice(0, -1);
  const notice = `The repository ${name} is deleted. ${restorable}`.trimEnd();
  return seeOther(group.length > 0 ? pathTo(...group) : '/', noticeCookie(notice));
}

/** The page that deletes a repository after a confirmation. */
export const deletePage: RepositoryPage = withoutRest({
  pageName: 'ReposController:delete',
  audience: 'users',
  get: (visit, address) => show(visit, address, null),
  post: (visit, address) =>
    rerenderOnError(
      () => remove(visit, address),
      (refusal) => show(visit, address, refusal),
    ),
});
