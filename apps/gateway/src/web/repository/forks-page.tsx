import { check, readForm, SchemaForm, type FormValues } from '../form/form-schema.tsx';
import { readHead, type RepositoryHead } from './repository-head.ts';
import { description, fullName, isPrivateFork } from './repository-fields.tsx';
import { RefusalText } from '../form/fields.tsx';
import { rerenderOnError, type Refusal } from '../form/form-route.ts';
import { noticeCookie } from '../http/notice.ts';
import { pathTo } from '../http/path-segments.ts';
import { showRepositoryPage } from '../layout/repository-frame.tsx';
import { seeOther } from '../layout/page.tsx';
import type { Visit } from '../visit.ts';
import { Pager } from '../layout/list-controls.tsx';
import { RepositoryList } from './list/repository-list.tsx';
import { withoutRest, type PageAddress, type RepositoryPage } from './repository-page.ts';

/** The form of a new fork; fields are named as the arguments of `fork_repo`. */
const forkSchema = {
  fork_name: fullName('Name of the fork'),
  description,
  private: isPrivateFork,
  copy_permissions: check({
    label: 'Copy permissions',
    hint: 'Copies the levels of users and user groups from this repository to the fork.',
  }),
};

type ForkValues = FormValues<typeof forkSchema>;

/** The values of fields that a sent form lacks. */
const emptyFork: ForkValues = { fork_name: '', description: '', private: false, copy_permissions: false };

/** Returns the initial values of a fork of a repository. */
function newFork({ repo_name: name, description: text, private: isPrivate }: RepositoryHead): ForkValues {
  return { fork_name: `${name}-fork`, description: text, private: isPrivate, copy_permissions: false };
}

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
            <SchemaForm
              visitor={visitor}
              action={path}
              schema={forkSchema}
              values={values}
              submit="Fork this repository"
            />
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
  pageName: 'ForksController:forks',
  async get(visit, address) {
    const repository = await readHead(visit, address);
    return show(visit, address, repository, { values: newFork(repository), refusal: null });
  },
  async post(visit, address) {
    const values = readForm(forkSchema, visit.form, emptyFork);
    return rerenderOnError(
      () => fork(visit, address, values),
      async (refusal) => show(visit, address, await readHead(visit, address), { values, refusal }),
    );
  },
});
