import { changedFields } from '../../form/changed-fields.ts';
import { RefusalText } from '../../form/fields.tsx';
import { noticeCookie } from '../../http/notice.ts';
import { pathTo } from '../../http/path-segments.ts';
import { showAdminPage } from '../../layout/admin-frame.tsx';
import { seeOther } from '../../layout/show-page.tsx';
import { adminForm } from '../admin-form.ts';
import { fieldsOf, RepoGroupForm, sentFields } from './repo-group-form.tsx';
import { administeredRepoGroup, repoGroupsView } from './repo-group-scope.ts';

/** The name, parent, description and owner of a repository group. */
export const repoGroupPage = adminForm({
  view: repoGroupsView,
  of: administeredRepoGroup,
  async show(visit, { group, tabbed }, refusal) {
    const fields = refusal ? sentFields(visit.form) : fieldsOf(group);
    const children = (
      <>
        <h2>General</h2>
        <RefusalText refusal={refusal} />
        <p>
          <a href={pathTo(group.group_name)}>What is in the group</a>. A new name or parent applies to everything in it.
        </p>
        <RepoGroupForm visitor={visit.visitor} action={tabbed.path} fields={fields} copied={null} />
      </>
    );
    return showAdminPage(visit, {
      section: 'repo_groups',
      tabbed: { of: tabbed, part: '' },
      status: refusal?.status ?? 200,
      children,
    });
  },
  async take({ worker, form }, { group, id, tabbed }) {
    const changed = changedFields(sentFields(form), fieldsOf(group));
    await worker.call('update_repo_group', { repogroupid: id, ...changed });
    return seeOther(tabbed.path, noticeCookie('The repository group is saved.'));
  },
});
