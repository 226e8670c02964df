import { RefusalText } from '../../form/fields.tsx';
import { noticeCookie } from '../../http/notice.ts';
import { adminPath, showAdminPage } from '../../layout/admin-frame.tsx';
import { seeOther } from '../../layout/show-page.tsx';
import { partPath } from '../../layout/tabbed-pages.ts';
import { adminForm } from '../admin-form.ts';
import { DeleteForm, requireConfirmed } from '../delete-form.tsx';
import { administeredRepoGroup, repoGroupsView } from './repo-group-scope.ts';

const part = 'advanced';

/** The page that deletes a repository group after a confirmation. */
export const deleteRepoGroupPage = adminForm({
  view: repoGroupsView,
  readObject: administeredRepoGroup,
  async show(visit, { group: { group_name: name }, tabbed }, refusal) {
    const children = (
      <>
        <h2>Delete</h2>
        <RefusalText refusal={refusal} />
        <DeleteForm visitor={visit.visitor} action={partPath(tabbed, part)} kind="repository group" name={name}>
          This permanently deletes <strong>{name}</strong>. A group that contains repositories or other groups cannot be
          deleted.
        </DeleteForm>
      </>
    );
    const status = refusal?.status ?? 200;
    return showAdminPage(visit, { section: 'repo_groups', tabbed: { of: tabbed, part }, status, children });
  },
  async submit({ worker, form }, { id, group }) {
    requireConfirmed(form);
    await worker.call('delete_repo_group', { repogroupid: id });
    return seeOther(adminPath('repo_groups'), noticeCookie(`The repository group ${group.group_name} is deleted.`));
  },
});
