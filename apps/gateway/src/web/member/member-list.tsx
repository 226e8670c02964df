import type { Child } from 'hono/jsx';
import type { Member } from './member.ts';

function nameOf({ type, name }: Member): string {
  return type === 'user' && name === 'default' ? 'default (everybody)' : name;
}

interface Props {
  readonly members: readonly Member[];
  /** Renders the content after a member's name. */
  readonly levelOf: (member: Member) => Child;
}

/** Renders the list of members with a level of their own. */
export function MemberList({ members, levelOf }: Props) {
  return (
    <ul class="plain rows">
      {members.map((member) => (
        <li class="row">
          <span>{nameOf(member)}</span>
          {member.type === 'user_group' && <span class="badge">user group</span>}
          {levelOf(member)}
        </li>
      ))}
    </ul>
  );
}
