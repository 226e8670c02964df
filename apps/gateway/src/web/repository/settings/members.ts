import { levelNotice, type Member } from '../../member/member.ts';
import type { Visit } from '../../visit.ts';
import type { PageAddress } from '../repository-page.ts';

/** Sets a member's level on a repository; `revoke` removes the level. Returns the notice for the next page. */
export async function setLevel({ worker }: Visit, { repoid }: PageAddress, member: Member): Promise<string> {
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
