import { sizeText, type DeletedRepositoryRecord, type LeftOutRecord } from '@trunkline/contracts';
import { RefusalText } from '../form/fields.tsx';
import { rerenderOnError, type Refusal } from '../form/form-route.ts';
import { noticeCookie } from '../http/notice.ts';
import { pathTo } from '../http/path-segments.ts';
import { adminPath, showAdminPage } from '../layout/admin-frame.tsx';
import { CsrfField, seeOther } from '../layout/page.tsx';
import { When } from '../layout/inline.tsx';
import type { PageRoute } from '../page-route.ts';
import { shownText } from '../render/shown-text.ts';
import { Pager } from '../layout/list-controls.tsx';
import type { Visit } from '../visit.ts';

const path = adminPath('deleted');
const limit = 50;

interface RowProps {
  readonly visit: Visit;
  readonly repository: DeletedRepositoryRecord;
  /** Whether the form of this repository was refused, and shows what was sent. */
  readonly isRefused: boolean;
}

function RestoreForm({ visit: { visitor, form }, repository: { repo_id: id, repo_name: name }, isRefused }: RowProps) {
  return (
    <form method="post" action={path} class="inline">
      <CsrfField visitor={visitor} />
      <label>
        Name
        <input
          name="name"
          value={isRefused ? (form.get('name') ?? '') : name}
          size={40}
          maxlength={1_000}
          autocomplete="off"
          spellcheck={false}
        />
      </label>
      <button name="id" value={String(id)}>
        Restore<span class="visually-hidden"> {name}</span>
      </button>
    </form>
  );
}

function Row(props: RowProps) {
  const { repository } = props;
  const { repo_id: id, repo_name: name, repo_type: type, owner, storage, size_bytes: bytes } = repository;
  return (
    <li>
      <div class="title">
        <strong>{name}</strong>
        <span class="badge">{type}</span>
        {repository.private && <span class="badge">private</span>}
        {repository.restoring && <span class="badge warn">being restored</span>}
      </div>
      {repository.description !== '' && <p>{shownText(repository.description)}</p>}
      <p class="meta">
        <span>
          deleted <When date={repository.deleted_on} /> by {repository.deleted_by ?? 'a deleted user'}
        </span>
        <span>
          files are removed <When date={repository.kept_until} />
        </span>
        <span>owner {owner ?? 'is gone'}</span>
        <span>
          {bytes === null ? 'size unknown' : sizeText(bytes)} on {storage}
        </span>
        <span>id {id}</span>
      </p>
      {!repository.restoring && <RestoreForm {...props} />}
    </li>
  );
}

async function show(
  visit: Visit,
  repositories: readonly DeletedRepositoryRecord[],
  refusal: Refusal | null,
): Promise<Response> {
  const { query, form } = visit;
  const last = repositories.at(-1);
  const children = (
    <>
      <p>
        Deleted repositories whose files are still kept. One that is restored has its former id, owner, permissions,
        followers, settings and forks; missing groups of its name are created.
      </p>
      <RefusalText refusal={refusal} />
      {repositories.length === 0 && !refusal && <p class="soft">No deleted repositories.</p>}
      <ul class="plain rows">
        {repositories.map((repository) => (
          <Row
            visit={visit}
            repository={repository}
            isRefused={refusal !== null && form.get('id') === String(repository.repo_id)}
          />
        ))}
      </ul>
      <Pager
        cursor={query.get('cursor') || null}
        next={last && repositories.length === limit ? String(last.repo_id) : null}
        path={path}
      />
    </>
  );
  return showAdminPage(visit, { section: 'deleted', status: refusal?.status ?? 200, children });
}

function list({ worker, query }: Visit): Promise<DeletedRepositoryRecord[]> {
  return worker.call('get_deleted_repos', { limit, cursor: query.get('cursor') || null });
}

/** Tells what belonged to users and groups that are gone; empty when nothing did. */
function leftOutText({ user_permissions: users, user_group_permissions: groups, followers }: LeftOutRecord): string {
  const levels = users + groups;
  if (levels + followers === 0) return '';
  return ` Of users and groups that are gone, ${levels} permissions and ${followers} followers were left out.`;
}

/** The page of the deleted repositories, each with a form that restores it. */
export const deletedPage: PageRoute = {
  pageName: 'SettingsController:settings_deleted',
  audience: 'administrators',
  get: (visit) =>
    rerenderOnError(
      async () => show(visit, await list(visit), null),
      (refusal) => show(visit, [], refusal),
    ),
  post: (visit) =>
    rerenderOnError(
      async () => {
        const { worker, form } = visit;
        const args = { id: form.get('id'), name: form.get('name')?.trim() || null };
        const { repo_name: name, left_out: leftOut } = await worker.call('restore_repo', args);
        return seeOther(pathTo(name), noticeCookie(`The repository is restored.${leftOutText(leftOut)}`));
      },
      async (refusal) => show(visit, await list(visit), refusal),
    ),
};
