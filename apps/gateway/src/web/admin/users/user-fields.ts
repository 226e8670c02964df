import type { ListedUser } from '@trunkline/contracts';

/** What the form of a user holds, as its texts are. */
export interface UserFields {
  readonly username: string;
  readonly firstname: string;
  readonly lastname: string;
  readonly email: string;
  readonly ldap_dn: string;
  readonly active: boolean;
  readonly admin: boolean;
}

/** What the form of a new user begins with. */
export const newUser: UserFields = {
  username: '',
  firstname: '',
  lastname: '',
  email: '',
  ldap_dn: '',
  active: true,
  admin: false,
};

export function fieldsOf({ username, firstname, lastname, email, ldap_dn: dn, active, admin }: ListedUser): UserFields {
  return {
    username,
    firstname: firstname ?? '',
    lastname: lastname ?? '',
    email: email ?? '',
    ldap_dn: dn ?? '',
    active,
    admin,
  };
}

export function sentFields(form: URLSearchParams): UserFields {
  const line = (name: string) => form.get(name)?.trim() ?? '';
  return {
    username: line('username'),
    firstname: line('firstname'),
    lastname: line('lastname'),
    email: line('email'),
    ldap_dn: line('ldap_dn'),
    active: form.has('active'),
    admin: form.has('admin'),
  };
}
