import { orRefusal, type Refusal } from '../../form/or-refusal.ts';
import { noticeCookie } from '../../http/notice.ts';
import { seeOther } from '../../layout/show-page.tsx';
import type { Visit } from '../../visit.ts';
import type { Place, RepositoryPage } from '../repository-page.ts';
import { withoutRest } from '../without-rest.ts';
import { ChangeLevelForm, GrantForm } from './member-forms.tsx';
import { readMembers, setLevel, type Member } from './members.ts';
import { readAdministered, settingsPath, showSettings } from './settings-frame.tsx';

function nameOf({ type, name }: Member): string {
  return type === 'user' && name === 'default' ? 'default (everybody)' : name;
}

interface TableProps {
  readonly visit: Visit;
  readonly action: string;
  readonly members: readonly Member[];
}

function MemberTable({ visit: { visitor }, action, members }: TableProps) {
  return (
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Kind</th>
            <th scope="col">Level</th>
          </tr>
        </thead>
        <tbody>
          {members.map((member) => (
            <tr>
              <td>{nameOf(member)}</td>
              <td>{member.type === 'user' ? 'user' : 'user group'}</td>
              <td>
                {visitor.admin ? (
                  <ChangeLevelForm visitor={visitor} action={action} member={member} />
                ) : (
                  member.permission.replace('repository.', '')
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

async function show(visit: Visit, place: Place, entered: Member, refusal: Refusal | null): Promise<Response> {
  const { visitor } = visit;
  const repository = await readAdministered(visit, place);
  const members = await readMembers(visit, place);
  const action = settingsPath(repository.repo_name, 'permissions');
  const children = (
    <>
      <p class="soft">
        The owner, {repository.owner}, and administrators of the service have every right, whatever stands here.
      </p>
      {members.length > 0 && <MemberTable visit={visit} action={action} members={members} />}
      {visitor.admin ? (
        <>
          <h3>Grant a level</h3>
          <GrantForm visitor={visitor} action={action} entered={entered} />
        </>
      ) : (
        <p>Only administrators of the service change levels.</p>
      )}
    </>
  );
  return showSettings(visit, place, { section: 'permissions', repository, refusal, children });
}

function sentMember({ form }: Visit): Member {
  return {
    type: form.get('member_type') === 'user_group' ? 'user_group' : 'user',
    name: form.get('member')?.trim() ?? '',
    permission: form.get('perm') ?? '',
  };
}

/** Who has which level on a repository. */
export const permissionsPage: RepositoryPage = withoutRest({
  view: 'ReposController:edit_permissions',
  audience: 'users',
  get: (visit, place) => show(visit, place, { type: 'user', name: '', permission: 'repository.read' }, null),
  post(visit, place) {
    const member = sentMember(visit);
    return orRefusal(
      async () => {
        const msg = await setLevel(visit, place, member);
        return seeOther(settingsPath(place.name, 'permissions'), noticeCookie(msg));
      },
      (refusal) => show(visit, place, member, refusal),
    );
  },
});
