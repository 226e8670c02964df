import type { Child } from 'hono/jsx';
import { SelectField, TextField } from '../form/fields.tsx';
import { CsrfField } from './page.tsx';
import type { Visitor } from '../identify.ts';

type MemberType = 'user' | 'user_group';

/** A user or user group with a level on a repository or a repository group. */
export interface Member {
  readonly type: MemberType;
  readonly name: string;
  /** The name of the level, such as `repository.read`; in a form also `revoke`. */
  readonly permission: string;
}

/** The kind of object that a level is set on; the prefix of the level's name. */
type LevelKind = 'repository' | 'group';

/** Returns the member and level that a form names; `revoke` instead of a level removes the level. */
export function sentMember(form: URLSearchParams): Member {
  return {
    type: form.get('member_type') === 'user_group' ? 'user_group' : 'user',
    name: form.get('member')?.trim() ?? '',
    permission: form.get('perm') ?? '',
  };
}

/** Returns the notice after a member's level was set or removed. */
export function levelNotice({ name, permission }: Member): string {
  const level = permission.slice(permission.indexOf('.') + 1);
  return permission === 'revoke' ? `The level of ${name} was removed.` : `The level of ${name} is now ${level}.`;
}

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

function levelsOf(kind: LevelKind): Record<string, string> {
  return Object.fromEntries(['none', 'read', 'write', 'admin'].map((level) => [`${kind}.${level}`, level]));
}

interface FormProps {
  readonly visitor: Visitor;
  readonly action: string;
  readonly kind: LevelKind;
  /** Further fields of the form. */
  readonly children?: Child;
}

/** Renders the form that changes or removes a member's level. */
export function ChangeLevelForm({ visitor, action, kind, member, children }: FormProps & { readonly member: Member }) {
  const levels = { ...levelsOf(kind), revoke: 'remove level' };
  return (
    <form method="post" action={action}>
      <CsrfField visitor={visitor} />
      <input type="hidden" name="member_type" value={member.type} />
      <input type="hidden" name="member" value={member.name} />
      <select name="perm" aria-label={`Level of ${member.name}`}>
        {Object.entries(levels).map(([perm, text]) => (
          <option value={perm} selected={perm === member.permission}>
            {text}
          </option>
        ))}
      </select>{' '}
      {children}
      <button class="plain small">
        Set<span class="visually-hidden"> the level of {member.name}</span>
      </button>
    </form>
  );
}

/** Renders the form that gives a level to a user or user group without one. */
export function GrantForm({ visitor, action, kind, entered, children }: FormProps & { readonly entered: Member }) {
  return (
    <form method="post" action={action} class="stacked">
      <CsrfField visitor={visitor} />
      <SelectField
        label="Grant to"
        name="member_type"
        value={entered.type}
        choices={{ user: 'user', user_group: 'user group' }}
      />
      <TextField label="Name" name="member" value={entered.name} required maxlength={255} />
      <SelectField label="Level" name="perm" value={entered.permission} choices={levelsOf(kind)} />
      {children}
      <button>Grant</button>
    </form>
  );
}
