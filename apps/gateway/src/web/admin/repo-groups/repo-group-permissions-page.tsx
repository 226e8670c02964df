import { RefusalText, SelectField } from '../../form/fields.tsx';
import { noticeCookie } from '../../http/notice.ts';
import { showAdminPage } from '../../layout/admin-frame.tsx';
import { seeOther } from '../../layout/show-page.tsx';
import { partPath } from '../../layout/tabbed-pages.ts';
import { ChangeLevelForm, GrantForm } from '../../member/member-forms.tsx';
import { MemberList } from '../../member/member-list.tsx';
import { sentMember, type Member } from '../../member/member.ts';
import { Pager } from '../../repository/list/pager.tsx';
import { adminForm } from '../admin-form.ts';
import { listQuery } from '../list-query.ts';
import { administeredRepoGroup, repoGroupsView } from './repo-group-scope.ts';
import { setGroupLevel } from './set-group-level.ts';

const part = 'perms';
const nobody: Member = { type: 'user', name: '', permission: 'group.read' };
const reaches = {
  none: 'this group only',
  repos: 'this group and the repositories below it',
  groups: 'this group and the groups below it',
  all: 'this group and everything below it',
};

function ReachSelect({ of }: { of: Member }) {
  return (
    <>
      <select name="apply_to_children" aria-label={`Scope of the level of ${of.name}`}>
        {Object.entries(reaches).map(([reach, text]) => (
          <option value={reach}>{text}</option>
        ))}
      </select>{' '}
    </>
  );
}

/** The page of the levels of users and user groups on a repository group. */
export const repoGroupPermissionsPage = adminForm({
  view: repoGroupsView,
  readObject: administeredRepoGroup,
  async show(visit, { group, id, tabbed }, refusal) {
    const { visitor, form, worker } = visit;
    const { cursor } = listQuery(visit);
    const action = partPath(tabbed, part);
    const { members, next } = await worker.call('list_group_members', { repogroupid: id, cursor });
    const levelOf = (member: Member) => (
      <ChangeLevelForm visitor={visitor} action={action} kind="group" member={member}>
        <ReachSelect of={member} />
      </ChangeLevelForm>
    );
    const children = (
      <>
        <h2>Permissions</h2>
        <p class="soft">The owner, {group.owner}, and administrators of the service always have full access.</p>
        <RefusalText refusal={refusal} />
        {members.length > 0 && <MemberList members={members} levelOf={levelOf} />}
        <Pager cursor={cursor} next={next} path={action} />
        <h3>Grant a level</h3>
        <GrantForm visitor={visitor} action={action} kind="group" entered={refusal ? sentMember(form) : nobody}>
          <SelectField
            label="Apply to"
            name="apply_to_children"
            value={(refusal && form.get('apply_to_children')) ?? 'none'}
            choices={reaches}
          />
        </GrantForm>
      </>
    );
    const status = refusal?.status ?? 200;
    return showAdminPage(visit, { section: 'repo_groups', tabbed: { of: tabbed, part }, status, children });
  },
  async submit(visit, { id, tabbed }) {
    const msg = await setGroupLevel(visit, id, sentMember(visit.form));
    return seeOther(partPath(tabbed, part), noticeCookie(msg));
  },
});
