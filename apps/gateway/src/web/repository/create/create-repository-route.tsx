import { rerenderOnError, type Refusal } from '../../form/rerender-on-error.ts';
import { withoutPassword } from '../../form/without-password.ts';
import { noticeCookie } from '../../http/notice.ts';
import { pathTo } from '../../http/path-segments.ts';
import { seeOther, showPage } from '../../layout/show-page.tsx';
import type { PageRoute } from '../../page-route.ts';
import type { Visit } from '../../visit.ts';
import { CreateRepositoryForm, type CreateFields } from './create-repository-form.tsx';

async function showForm(visit: Visit, fields: CreateFields, refusal: Refusal | null): Promise<Response> {
  return showPage(visit, {
    title: 'New repository',
    section: 'repositories',
    status: refusal?.status ?? 200,
    children: (
      <>
        <h1>New repository</h1>
        <CreateRepositoryForm visitor={visit.visitor} fields={fields} refusal={refusal} />
      </>
    ),
  });
}

function sentFields({ form }: Visit): CreateFields {
  return {
    name: form.get('repo_name')?.trim() ?? '',
    type: form.get('repo_type') ?? '',
    description: form.get('description') ?? '',
    cloneUri: form.get('clone_uri')?.trim() ?? '',
    landingRev: form.get('landing_rev')?.trim() ?? '',
    isPrivate: form.has('private'),
    enableDownloads: form.has('enable_downloads'),
  };
}

async function create({ worker }: Visit, fields: CreateFields): Promise<Response> {
  const { repo } = await worker.call('create_repo', {
    repo_name: fields.name,
    repo_type: fields.type,
    description: fields.description,
    private: fields.isPrivate,
    clone_uri: fields.cloneUri || null,
    landing_rev: fields.landingRev,
    enable_downloads: fields.enableDownloads,
  });
  return seeOther(pathTo(repo.repo_name), noticeCookie(`The repository ${repo.repo_name} is created.`));
}

/** Creates a repository, empty or from a remote; the query parameter `parent_group` preselects its group. */
export const createRepositoryRoute: PageRoute = {
  view: 'ReposController:create_repository',
  audience: 'users',
  get(visit) {
    const group = visit.query.get('parent_group');
    const fields = {
      name: group ? `${group}/` : '',
      type: 'hg',
      description: '',
      cloneUri: '',
      landingRev: 'tip',
      isPrivate: false,
      enableDownloads: true,
    };
    return showForm(visit, fields, null);
  },
  post(visit) {
    const fields = sentFields(visit);
    return rerenderOnError(
      () => create(visit, fields),
      (refusal) => showForm(visit, { ...fields, cloneUri: withoutPassword(fields.cloneUri) }, refusal),
    );
  },
};
