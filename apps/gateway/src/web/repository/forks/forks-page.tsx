import { RefusalText } from '../../form/fields.tsx';
import { readForm } from '../../form/form-schema.tsx';
import { rerenderOnError, type Refusal } from '../../form/rerender-on-error.ts';
import { SchemaForm } from '../../form/schema-form.tsx';
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
import { emptyFork, forkSchema as schema, newFork, type ForkValues } from './fork-schema.ts';

async function show(
  visit: Visit,
  address: PageAddress,
  repository: RepositoryHead,
  { values, refusal }: { readonly values: ForkValues; readonly refusal: Refusal | null },
): Promise<Response> {
  const { visitor, worker, query } = visit;
  const cursor = query.get('cursor') || null;
  const path = pathTo(repository.repo_name, 'forks');
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
          <p>{cursor === null ? 'There are no forks that you can read.' : 'No more forks.'}</p>
        )}
        <RepositoryList repositories={repositories} group={null} />
        <Pager cursor={cursor} next={next} path={path} />
        {visitor.session && rights.fork_repository && (
          <>
            <h2>Fork this repository</h2>
            <SchemaForm visitor={visitor} action={path} schema={schema} values={values} submit="Fork this repository" />
          </>
        )}
      </>
    ),
  });
}

async function fork({ worker }: Visit, { repoid, name: source }: PageAddress, values: ForkValues): Promise<Response> {
  const { task } = await worker.call('fork_repo', { repoid, ...values });
  const { fork_name: name } = values;
  if (task === null) return seeOther(pathTo(name), noticeCookie(`The fork ${name} is created.`));
  const notice = `The fork ${name} is being created. It appears here when it is complete.`;
  return seeOther(pathTo(source, 'forks'), noticeCookie(notice));
}

/** The page of a repository's forks, with a form that creates one. */
export const forksPage: RepositoryPage = withoutRest({
  view: 'ForksController:forks',
  async get(visit, address) {
    const repository = await readHead(visit, address);
    return show(visit, address, repository, { values: newFork(repository), refusal: null });
  },
  async post(visit, address) {
    const values = readForm(schema, visit.form, emptyFork);
    return rerenderOnError(
      () => fork(visit, address, values),
      async (refusal) => show(visit, address, await readHead(visit, address), { values, refusal }),
    );
  },
});
