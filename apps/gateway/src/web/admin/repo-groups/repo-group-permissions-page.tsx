import { RefusalText, SelectField } from '../../form/fields.tsx';
import { listQuery, Pager } from '../../layout/list-controls.tsx';
import { ChangeLevelForm, GrantForm, levelNotice, MemberList, sentMember, type Member } from '../../layout/members.tsx';
import { partPath } from '../../layout/tabbed-pages.tsx';
import type { Visit } from '../../visit.ts';
import { partPage } from '../object-part-pages.tsx';
import { repoGroups } from './repo-group-pages.tsx';

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

/**
 * Sets a member's level on a repository group and the chosen objects below the group; `revoke` removes the level.
 * Returns the notice for the next page.
 */
async function setGroupLevel({ worker, form }: Visit, repogroupid: number, member: Member): Promise<string> {
  const { type, name, permission: perm } = member;
  const on = { repogroupid, apply_to_children: form.get('apply_to_children') };
  if (type === 'user') {
    const args = { ...on, userid: name };
    const call =
      perm === 'revoke'
        ? worker.call('revoke_user_permission_from_repo_group', args)
        : worker.call('grant_user_permission_to_repo_group', { ...args, perm });
    await call;
    return levelNotice(member);
  }
  const args = { ...on, usersgroupid: name };
  const call =
    perm === 'revoke'
      ? worker.call('revoke_user_group_permission_from_repo_group', args)
      : worker.call('grant_user_group_permission_to_repo_group', { ...args, perm });
  await call;
  return levelNotice(member);
}

/** The page of the levels of users and user groups on a repository group. */
export const repoGroupPermissionsPage = partPage(repoGroups, {
  part,
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
    return (
      <>
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
  },
  submit: (visit, { id }) => setGroupLevel(visit, id, sentMember(visit.form)),
});
