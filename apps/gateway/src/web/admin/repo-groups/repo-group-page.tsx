import { changedFields } from '../../form/changed-fields.ts';
import { RefusalText } from '../../form/fields.tsx';
import { readForm } from '../../form/form-schema.tsx';
import { SchemaForm } from '../../form/schema-form.tsx';
import { noticeCookie } from '../../http/notice.ts';
import { pathTo } from '../../http/path-segments.ts';
import { showAdminPage } from '../../layout/admin-frame.tsx';
import { seeOther } from '../../layout/show-page.tsx';
import { adminForm } from '../admin-form.ts';
import { StoredSize } from '../stored-size.tsx';
import { repoGroupSchema as schema, repoGroupValues } from './repo-group-schema.ts';
import { administeredRepoGroup, repoGroupsView } from './repo-group-scope.ts';

/** The page of the name, parent, description and owner of a repository group. */
export const repoGroupPage = adminForm({
  view: repoGroupsView,
  readObject: administeredRepoGroup,
  async show(visit, { group, id, tabbed }, refusal) {
    const { visitor, form, worker } = visit;
    const size = await worker.call('view_stored_size', { repogroupid: id });
    const current = repoGroupValues(group);
    const values = refusal ? readForm(schema, form, current) : current;
    const children = (
      <>
        <h2>General</h2>
        <RefusalText refusal={refusal} />
        <p>
          <a href={pathTo(group.group_name)}>Contents of the group</a>. A new name or parent also changes the names of
          everything in the group.
        </p>
        <StoredSize size={size} of="In the group and its subgroups" />
        <SchemaForm visitor={visitor} action={tabbed.path} schema={schema} values={values} submit="Save" />
      </>
    );
    return showAdminPage(visit, {
      section: 'repo_groups',
      tabbed: { of: tabbed, part: '' },
      status: refusal?.status ?? 200,
      children,
    });
  },
  async submit({ worker, form }, { group, id, tabbed }) {
    const current = repoGroupValues(group);
    const changed = changedFields(readForm(schema, form, current), current);
    await worker.call('update_repo_group', { repogroupid: id, ...changed });
    return seeOther(tabbed.path, noticeCookie('The repository group is saved.'));
  },
});
