import { ChangeLevelForm, GrantForm, levelNotice, MemberList, sentMember, type Member } from '../../layout/members.tsx';
import type { Visit } from '../../visit.ts';
import { withoutRest, type PageAddress, type RepositoryPage } from '../repository-page.ts';
import { rerenderOnError, type Refusal } from '../../form/form-route.ts';
import { noticeCookie } from '../../http/notice.ts';
import { seeOther } from '../../layout/page.tsx';
import { Pager } from '../../layout/list-controls.tsx';
import { readForSettings, settingsPath, showSettings } from './settings-frame.tsx';

/** Sets a member's level on a repository; `revoke` removes the level. Returns the notice for the next page. */
async function setLevel({ worker }: Visit, { repoid }: PageAddress, member: Member): Promise<string> {
  const { type, name, permission: perm } = member;
  if (type === 'user') {
    const args = { repoid, userid: name };
    const call =
      perm === 'revoke'
        ? worker.call('revoke_user_permission', args)
        : worker.call('grant_user_permission', { ...args, perm });
    await call;
    return levelNotice(member);
  }
  const args = { repoid, usersgroupid: name };
  const call =
    perm === 'revoke'
      ? worker.call('revoke_user_group_permission', args)
      : worker.call('grant_user_group_permission', { ...args, perm });
  await call;
  return levelNotice(member);
}

async function show(visit: Visit, address: PageAddress, entered: Member, refusal: Refusal | null): Promise<Response> {
  const { visitor } = visit;
  const repository = await readForSettings(visit, address, 'permissions');
  const cursor = visit.query.get('cursor') || null;
  const { members, next } = await visit.worker.call('list_members', { repoid: address.repoid, cursor });
  const action = settingsPath(repository.repo_name, 'permissions');
  const levelOf = (member: Member) =>
    visitor.admin ? (
      <ChangeLevelForm visitor={visitor} action={action} kind="repository" member={member} />
    ) : (
      <span class="badge">{member.permission.replace('repository.', '')}</span>
    );
  const children = (
    <>
      <p class="soft">The owner, {repository.owner}, and administrators of the service always have full access.</p>
      {members.length > 0 && <MemberList members={members} levelOf={levelOf} />}
      <Pager cursor={cursor} next={next} path={action} />
      {visitor.admin ? (
        <>
          <h3>Grant a level</h3>
          <GrantForm visitor={visitor} action={action} kind="repository" entered={entered} />
        </>
      ) : (
        <p>Only administrators of the service can change levels.</p>
      )}
    </>
  );
  return showSettings(visit, address, { section: 'permissions', repository, refusal, children });
}

/** The page of the levels of users and user groups on a repository. */
export const permissionsPage: RepositoryPage = withoutRest({
  pageName: 'ReposController:edit_permissions',
  audience: 'users',
  get: (visit, address) => show(visit, address, { type: 'user', name: '', permission: 'repository.read' }, null),
  post(visit, address) {
    const member = sentMember(visit.form);
    return rerenderOnError(
      async () => {
        const msg = await setLevel(visit, address, member);
        return seeOther(settingsPath(address.name, 'permissions'), noticeCookie(msg));
      },
      (refusal) => show(visit, address, member, refusal),
    );
  },
});
