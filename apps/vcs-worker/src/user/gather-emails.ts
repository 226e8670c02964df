interface UserOfEmail {
  readonly user: { readonly id: number };
  /** One of the user's e-mail addresses; null for a user without any. */
  readonly email: string | null;
  readonly isPrimary: boolean | null;
}

export interface Emails {
  email: string | null;
  readonly emails: string[];
}

/**
 * Makes one entry for each user of rows that are ordered by user, with a row for each e-mail address. A join reads the
 * addresses of many users in half the time of a subquery for each.
 */
export function gatherEmails<Row extends UserOfEmail>(rows: readonly Row[]) {
  const users: (Row & { readonly user: Row['user'] & Emails })[] = [];
  for (const row of rows) {
    const { email, isPrimary } = row;
    let last = users.at(-1);
    if (last?.user.id !== row.user.id) {
      last = { ...row, user: { ...row.user, email: null, emails: [] } };
      users.push(last);
    }
    if (email !== null && isPrimary === true) last.user.email = email;
    else if (email !== null) last.user.emails.push(email);
  }
  return users;
}
