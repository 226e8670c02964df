import { RefusalText } from '../../form/fields.tsx';
import { rerenderOnError, type Refusal } from '../../form/rerender-on-error.ts';
import { noticeCookie } from '../../http/notice.ts';
import { pathTo } from '../../http/path-segments.ts';
import { showRepositoryPage } from '../../layout/repository-frame.tsx';
import { seeOther } from '../../layout/show-page.tsx';
import type { Visit } from '../../visit.ts';
import { readHead, type RepositoryHead } from '../head/repository-head.ts';
import { Pager } from '../list/pager.tsx';
import { RepositoryList } from '../list/repository-list.tsx';
import type { PageAddress, RepositoryPage } from '../repository-page.ts';
import { withoutRest } from '../without-rest.ts';
import { ForkForm, type ForkFields } from './fork-form.tsx';

async function show(
  visit: Visit,
  address: PageAddress,
  repository: RepositoryHead,
  { fields, refusal }: { readonly fields: ForkFields; readonly refusal: Refusal | null },
): Promise<Response> {
  const { visitor, worker, query } = visit;
  const cursor = query.get('cursor') || null;
  const [{ repositories, next }, rights] = await Promise.all([
    worker.call('list_forks', { repoid: address.repoid, cursor }),
    worker.call('view_rights'),
  ]);
  return showRepositoryPage(visit, address, {
    title: 'Forks',
    tab: 'forks',
    status: refusal?.status ?? 200,
    repository,
    children: (
      <>
        <h2>Forks</h2>
        <RefusalText refusal={refusal} />
        {repositories.length === 0 && (
          <p>{cursor === null ? 'There are no forks that you may read.' : 'No more forks.'}</p>
        )}
        <RepositoryList repositories={repositories} group={null} />
        <Pager cursor={cursor} next={next} path={pathTo(repository.repo_name, 'forks')} />
        {visitor.session && rights.fork_repository && (
          <>
            <h2>Fork this repository</h2>
            <ForkForm visitor={visitor} repository={repository} fields={fields} />
          </>
        )}
      </>
    ),
  });
}

function sentFields({ form }: Visit): ForkFields {
  return {
    name: form.get('fork_name')?.trim() ?? '',
    description: form.get('description') ?? '',
    isPrivate: form.has('private'),
    copyPermissions: form.has('copy_permissions'),
  };
}

async function fork({ worker }: Visit, { repoid, name: source }: PageAddress, fields: ForkFields): Promise<Response> {
  const { task } = await worker.call('fork_repo', {
    repoid,
    fork_name: fields.name,
    description: fields.description,
    private: fields.isPrivate,
    copy_permissions: fields.copyPermissions,
  });
  if (task === null) return seeOther(pathTo(fields.name), noticeCookie(`The fork ${fields.name} is created.`));
  const notice = `The fork ${fields.name} takes a while: it appears among the forks when it is complete.`;
  return seeOther(pathTo(source, 'forks'), noticeCookie(notice));
}

/** The forks of a repository, and a form to create one. */
export const forksPage: RepositoryPage = withoutRest({
  view: 'ForksController:forks',
  async get(visit, address) {
    const repository = await readHead(visit, address);
    const { repo_name: name, description, private: isPrivate } = repository;
    const fields = { name: `${name}-fork`, description, isPrivate, copyPermissions: false };
    return show(visit, address, repository, { fields, refusal: null });
  },
  async post(visit, address) {
    const fields = sentFields(visit);
    return rerenderOnError(
      () => fork(visit, address, fields),
      async (refusal) => show(visit, address, await readHead(visit, address), { fields, refusal }),
    );
  },
});
