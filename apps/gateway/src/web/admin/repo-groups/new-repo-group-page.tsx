import { RefusalText } from '../../form/fields.tsx';
import { readForm } from '../../form/form-schema.tsx';
import { SchemaForm } from '../../form/schema-form.tsx';
import { noticeCookie } from '../../http/notice.ts';
import { showAdminPage } from '../../layout/admin-frame.tsx';
import { seeOther } from '../../layout/show-page.tsx';
import { adminForm, noObject } from '../admin-form.ts';
import { newRepoGroupSchema as schema } from './repo-group-schema.ts';
import { repoGroupPath, repoGroupsView } from './repo-group-scope.ts';

const newGroup = { group_name: '', parent: '', owner: '', description: '', copy_permissions: false };

/** The page that creates a repository group. */
export const newRepoGroupPage = adminForm({
  view: repoGroupsView,
  readObject: noObject,
  async show(visit, _, refusal) {
    const { visitor, form } = visit;
    const values = refusal ? readForm(schema, form, newGroup) : newGroup;
    return showAdminPage(visit, {
      section: 'repo_groups',
      heading: 'New repository group',
      status: refusal?.status ?? 200,
      children: (
        <>
          <RefusalText refusal={refusal} />
          <SchemaForm
            visitor={visitor}
            action="/_admin/repo_groups/new"
            schema={schema}
            values={values}
            submit="Create repository group"
          />
        </>
      ),
    });
  },
  async submit({ worker, form }) {
    const { parent, owner, ...values } = readForm(schema, form, newGroup);
    const { repo_group: group } = await worker.call('create_repo_group', {
      ...values,
      parent: parent || null,
      owner: owner || null,
    });
    return seeOther(
      repoGroupPath(group.group_id),
      noticeCookie(`The repository group ${group.group_name} is created.`),
    );
  },
});
