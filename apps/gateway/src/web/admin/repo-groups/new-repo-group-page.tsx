import { RefusalText } from '../../form/fields.tsx';
import { noticeCookie } from '../../http/notice.ts';
import { showAdminPage } from '../../layout/admin-frame.tsx';
import { seeOther } from '../../layout/show-page.tsx';
import { adminForm, ofNothing } from '../admin-form.ts';
import { RepoGroupForm, sentFields } from './repo-group-form.tsx';
import { repoGroupPath, repoGroupsView } from './repo-group-scope.ts';

const action = '/_admin/repo_groups/new';

/** Creates a repository group. */
export const newRepoGroupPage = adminForm({
  view: repoGroupsView,
  of: ofNothing,
  async show(visit, _, refusal) {
    const { visitor, form } = visit;
    const copied = form.has('copy_permissions');
    return showAdminPage(visit, {
      section: 'repo_groups',
      heading: 'New repository group',
      status: refusal?.status ?? 200,
      children: (
        <>
          <RefusalText refusal={refusal} />
          <RepoGroupForm visitor={visitor} action={action} fields={sentFields(form)} copied={copied} />
        </>
      ),
    });
  },
  async take({ worker, form }) {
    const { group_name, parent, owner, description } = sentFields(form);
    const { repo_group: group } = await worker.call('create_repo_group', {
      group_name,
      description,
      parent: parent || null,
      owner: owner || null,
      copy_permissions: form.has('copy_permissions'),
    });
    return seeOther(
      repoGroupPath(group.group_id),
      noticeCookie(`The repository group ${group.group_name} is created.`),
    );
  },
});
