import { rerenderOnError, type Refusal } from '../../form/rerender-on-error.ts';
import { noticeCookie } from '../../http/notice.ts';
import { seeOther } from '../../layout/show-page.tsx';
import { ChangeLevelForm, GrantForm } from '../../member/member-forms.tsx';
import { MemberList } from '../../member/member-list.tsx';
import { sentMember, type Member } from '../../member/member.ts';
import type { Visit } from '../../visit.ts';
import { Pager } from '../list/pager.tsx';
import type { PageAddress, RepositoryPage } from '../repository-page.ts';
import { withoutRest } from '../without-rest.ts';
import { setLevel } from './members.ts';
import { readForSettings, settingsPath, showSettings } from './settings-frame.tsx';

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
  view: 'ReposController:edit_permissions',
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
