import { AreaField, CheckField, TextField } from '../../form/fields.tsx';
import { CsrfField } from '../../layout/page.tsx';
import type { Visitor } from '../../visitor/visitor.ts';
import type { RepoGroup } from './repo-group-scope.ts';

/** The fields of a repository group's form. */
export interface RepoGroupFields {
  /** The name without the groups above it. */
  readonly group_name: string;
  readonly parent: string;
  readonly owner: string;
  readonly description: string;
}

export function fieldsOf({ group_name: name, parent_group: parent, owner, group_description }: RepoGroup) {
  const fields: RepoGroupFields = {
    group_name: name.split('/').at(-1) ?? '',
    parent: parent ?? '',
    owner,
    description: group_description,
  };
  return fields;
}

export function sentFields(form: URLSearchParams): RepoGroupFields {
  return {
    group_name: form.get('group_name')?.trim() ?? '',
    parent: form.get('parent')?.trim() ?? '',
    owner: form.get('owner')?.trim() ?? '',
    // Browsers send CR LF for every line feed.
    description: (form.get('description') ?? '').replaceAll('\r\n', '\n'),
  };
}

interface Props {
  readonly visitor: Visitor;
  readonly action: string;
  readonly fields: RepoGroupFields;
  /** Whether levels of the parent group are copied; null for an existing group. */
  readonly copied: boolean | null;
}

export function RepoGroupForm({ visitor, action, fields, copied }: Props) {
  const isNew = copied !== null;
  return (
    <form method="post" action={action} class="stacked">
      <CsrfField visitor={visitor} />
      <TextField
        label="Name"
        name="group_name"
        value={fields.group_name}
        required
        maxlength={255}
        hint="Without the groups around it."
      />
      <TextField
        label="In the group"
        name="parent"
        value={fields.parent}
        maxlength={255}
        hint="Its full name; empty for the top level."
      />
      <TextField
        label="Owner"
        name="owner"
        value={fields.owner}
        required={!isNew}
        maxlength={255}
        hint={isNew ? 'A username; you when empty.' : 'A username.'}
      />
      <AreaField label="Description" name="description" value={fields.description} />
      {copied !== null && (
        <CheckField
          label="Copy permissions"
          name="copy_permissions"
          checked={copied}
          hint="Begin with the levels that hold on the group above."
        />
      )}
      <button>{isNew ? 'Create repository group' : 'Save'}</button>
    </form>
  );
}
