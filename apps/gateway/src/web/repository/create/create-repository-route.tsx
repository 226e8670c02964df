import { RefusalText } from '../../form/fields.tsx';
import { readForm } from '../../form/form-schema.tsx';
import { rerenderOnError, type Refusal } from '../../form/rerender-on-error.ts';
import { SchemaForm } from '../../form/schema-form.tsx';
import { withoutPassword } from '../../form/without-password.ts';
import { noticeCookie } from '../../http/notice.ts';
import { pathTo } from '../../http/path-segments.ts';
import { seeOther, showPage } from '../../layout/show-page.tsx';
import type { PageRoute } from '../../page-route.ts';
import type { Visit } from '../../visit.ts';
import {
  createRepositorySchema as schema,
  createRepositorySchemaWith,
  newRepository,
  nothingSent,
  type CreateValues,
} from './create-repository-schema.ts';

/** Returns the form: administrators may choose among the active storages, if there are several. */
async function schemaFor({ visitor, worker }: Visit) {
  const storages = visitor.admin ? await worker.call('get_storages') : [];
  const active = storages.filter(({ state }) => state === 'active');
  return active.length > 1 ? createRepositorySchemaWith(active.map(({ name }) => name)) : schema;
}

async function showForm(visit: Visit, values: CreateValues, refusal: Refusal | null): Promise<Response> {
  const shown = await schemaFor(visit);
  return showPage(visit, {
    title: 'New repository',
    section: 'repositories',
    status: refusal?.status ?? 200,
    children: (
      <>
        <h1>New repository</h1>
        <RefusalText refusal={refusal} />
        <SchemaForm
          visitor={visit.visitor}
          action="/_admin/create_repository"
          schema={shown}
          values={values}
          submit="Create repository"
        />
      </>
    ),
  });
}

async function create({ worker }: Visit, { storage, ...values }: CreateValues): Promise<Response> {
  const { repo } = await worker.call('create_repo', {
    ...values,
    clone_uri: values.clone_uri || null,
    storage: storage || null,
  });
  return seeOther(pathTo(repo.repo_name), noticeCookie(`The repository ${repo.repo_name} is created.`));
}

/** The page that creates a repository, empty or from a remote; the parameter `parent_group` preselects its group. */
export const createRepositoryRoute: PageRoute = {
  view: 'ReposController:create_repository',
  audience: 'users',
  get: (visit) => showForm(visit, newRepository(visit.query.get('parent_group')), null),
  post(visit) {
    const values = readForm(createRepositorySchemaWith([]), visit.form, nothingSent);
    return rerenderOnError(
      () => create(visit, values),
      (refusal) => showForm(visit, { ...values, clone_uri: withoutPassword(values.clone_uri) }, refusal),
    );
  },
};
