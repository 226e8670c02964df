import { readForm, SchemaForm, select, text, type FormValues } from '../form/form-schema.tsx';
import {
  description,
  enableDownloads,
  fullName,
  isPrivate,
  landingRevision,
  withoutPassword,
} from './repository-fields.tsx';
import { RefusalText } from '../form/fields.tsx';
import { rerenderOnError, type Refusal } from '../form/form-route.ts';
import { noticeCookie } from '../http/notice.ts';
import { pathTo } from '../http/path-segments.ts';
import { seeOther, showPage } from '../layout/page.tsx';
import type { PageRoute } from '../page-route.ts';
import type { Visit } from '../visit.ts';

const copied = 'URL of a remote repository to copy, and to pull from later. Leave empty for an empty repository.';

/** The form of a new repository; fields are named as the arguments of `create_repo`. */
const createRepositorySchema = {
  repo_name: fullName('Name', { autofocus: true }),
  repo_type: select({ label: 'Type', choices: { hg: 'Mercurial', git: 'Git' } }),
  description,
  clone_uri: text({ label: 'Copy from', hint: copied }),
  landing_rev: landingRevision,
  private: isPrivate,
  enable_downloads: enableDownloads,
};

/** The name of a field's choice that leaves the storage to the service. */
const anyStorage = '';

/** Returns the form of an administrator, who may also choose one of these storages. */
function createRepositorySchemaWith(storages: readonly string[]) {
  const choices = { [anyStorage]: 'chosen by the service', ...Object.fromEntries(storages.map((one) => [one, one])) };
  return { ...createRepositorySchema, storage: select({ label: 'Storage', choices }) };
}

type CreateValues = FormValues<ReturnType<typeof createRepositorySchemaWith>>;

/** The values of fields that a sent form lacks; `create_repo` refuses those that must not be empty. */
const nothingSent: CreateValues = {
  repo_name: '',
  repo_type: '',
  description: '',
  clone_uri: '',
  landing_rev: '',
  private: false,
  enable_downloads: false,
  storage: anyStorage,
};

/** Returns the initial values, for a repository in a group or, when `group` is null, in none. */
function newRepository(group: string | null): CreateValues {
  return {
    repo_name: group ? `${group}/` : '',
    repo_type: 'hg',
    description: '',
    clone_uri: '',
    landing_rev: 'tip',
    private: false,
    enable_downloads: false,
    storage: anyStorage,
  };
}

/** Returns the form: administrators may choose among the active storages, if there are several. */
async function schemaFor({ visitor, worker }: Visit) {
  const storages = visitor.admin ? await worker.call('get_storages') : [];
  const active = storages.filter(({ state }) => state === 'active');
  return active.length > 1 ? createRepositorySchemaWith(active.map(({ name }) => name)) : createRepositorySchema;
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
  pageName: 'ReposController:create_repository',
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
