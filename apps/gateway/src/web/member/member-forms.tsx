import type { Child } from 'hono/jsx';
import { SelectField, TextField } from '../form/fields.tsx';
import { CsrfField } from '../layout/page.tsx';
import type { Visitor } from '../visitor/visitor.ts';
import type { LevelKind, Member } from './member.ts';

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
