import { CheckField, TextField } from '../../form/fields.tsx';
import { CsrfField } from '../../layout/page.tsx';
import type { Visitor } from '../../visitor/visitor.ts';
import type { UserFields } from './user-fields.ts';

interface Props {
  readonly visitor: Visitor;
  readonly action: string;
  readonly fields: UserFields;
  readonly isNew: boolean;
  readonly emailRequired: boolean;
}

/** The form of a user. */
export function UserForm({ visitor, action, fields, isNew, emailRequired }: Props) {
  return (
    <form method="post" action={action} class="stacked">
      <CsrfField visitor={visitor} />
      <TextField
        label="Username"
        name="username"
        value={fields.username}
        required
        maxlength={255}
        hint="Letters, digits, “-”, “_”, “.” and “@”; not digits only."
      />
      <TextField label="First name" name="firstname" value={fields.firstname} maxlength={255} />
      <TextField label="Last name" name="lastname" value={fields.lastname} maxlength={255} />
      <TextField
        label="E-mail address"
        name="email"
        type="email"
        value={fields.email}
        required={emailRequired}
        hint="The primary one."
      />
      <TextField
        label={isNew ? 'Password' : 'New password'}
        name="password"
        type="password"
        value=""
        autocomplete="new-password"
        hint={
          isNew
            ? 'Without one the user has only an API key, or signs in by the directory.'
            : 'Empty leaves it as it is. A new one ends all sessions of the user.'
        }
      />
      <TextField
        label="Directory entry"
        name="ldap_dn"
        value={fields.ldap_dn}
        maxlength={1_000}
        hint="Distinguished name in the LDAP directory, which then knows the password."
      />
      <CheckField label="Active" name="active" checked={fields.active} hint="An inactive user is refused everywhere." />
      <CheckField
        label="Administrator"
        name="admin"
        checked={fields.admin}
        hint="May do everything on the whole service."
      />
      <button>{isNew ? 'Create user' : 'Save'}</button>
    </form>
  );
}
