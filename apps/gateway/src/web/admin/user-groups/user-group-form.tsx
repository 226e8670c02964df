import type { ListedUserGroup } from '@trunkline/contracts';
import { AreaField, CheckField, TextField } from '../../form/fields.tsx';
import { CsrfField } from '../../layout/page.tsx';
import type { Visitor } from '../../visitor/visitor.ts';

/** The fields of a user group's form. */
export type UserGroupFields = Pick<ListedUserGroup, 'group_name' | 'description' | 'owner' | 'active'>;

export function fieldsOf({ group_name: name, description, owner, active }: ListedUserGroup): UserGroupFields {
  return { group_name: name, description, owner, active };
}

export function sentFields(form: URLSearchParams): UserGroupFields {
  return {
    group_name: form.get('group_name')?.trim() ?? '',
    // Browsers send CR LF for every line feed.
    description: (form.get('description') ?? '').replaceAll('\r\n', '\n'),
    owner: form.get('owner')?.trim() ?? '',
    active: form.has('active'),
  };
}

interface Props {
  readonly visitor: Visitor;
  readonly action: string;
  readonly fields: UserGroupFields;
  readonly isNew: boolean;
}

export function UserGroupForm({ visitor, action, fields, isNew }: Props) {
  return (
    <form method="post" action={action} class="stacked">
      <CsrfField visitor={visitor} />
      <TextField
        label="Name"
        name="group_name"
        value={fields.group_name}
        required
        maxlength={255}
        hint="Letters, digits, “-”, “_”, “.” and “@”; two characters or more."
      />
      {!isNew && <AreaField label="Description" name="description" value={fields.description} />}
      <TextField
        label="Owner"
        name="owner"
        value={fields.owner}
        required={!isNew}
        maxlength={255}
        hint={isNew ? 'A username; you when empty.' : 'A username.'}
      />
      <CheckField
        label="Active"
        name="active"
        checked={fields.active}
        hint="An inactive group gives its members nothing."
      />
      <button>{isNew ? 'Create user group' : 'Save'}</button>
    </form>
  );
}
