import { generateApiKey, insertUserRows, toStoredKey, type Transaction } from '@trunkline/db';
import { recordChange } from '../../with-database.ts';
import { importedKey, type ImportedObject } from '../plan/here.ts';
import type { PlannedUser } from '../plan/plan.ts';
import { formerList, recordImported } from './imported-store.ts';
import { digestParts, mergeParts, type Parts } from './merge.ts';
import { changeKeys, entriesOf, hasKey, insertKeys } from './user-keys.ts';
import { changeUser, emailsOf, insertEmails, insertNetworks, readUser } from './user-rows.ts';
import { count, inBatches, tellKept, type Writing } from './writing.ts';

/** Names of an outside program belong together, as do addresses, and networks: a list of networks shuts others out. */
function partsOf({ profile, passwordHash, emails, keys, networks }: PlannedUser): Parts {
  const { firstname, lastname, active, admin, ldapDn, externType, externName } = profile;
  const same = (value: unknown) => ({ source: value, here: value });
  return {
    firstname: same(firstname),
    lastname: same(lastname),
    active: same(active),
    admin: same(admin),
    external: same([ldapDn, externType, externName]),
    password: { ...same(passwordHash), isSecret: true },
    emails: same(emailsOf(emails)),
    networks: same(networks.toSorted()),
    // Where the source's key is not taken on, the one that was made here is nobody's to compare.
    ...(keys.builtin.key !== null && { builtinKey: same(keys.builtin.key) }),
  };
}

async function create(writing: Writing, tx: Transaction, planned: PlannedUser): Promise<number> {
  const { username, profile, passwordHash, createdAt, lastLogin, emails, keys, networks } = planned;
  const { key } = keys.builtin;
  const builtin = key === null || (await hasKey(writing, tx, key)) ? generateApiKey() : key;
  const id = await insertUserRows(tx, {
    username,
    passwordHash,
    ...profile,
    lastLogin,
    ...(createdAt && { createdAt }),
    address: emails.primary,
    key: toStoredKey(writing.vault, builtin),
  });
  await insertEmails(tx, id, emails.further);
  await insertKeys(writing, tx, id, keys.further);
  await insertNetworks(tx, id, networks);
  await recordChange(tx, 'create_user', { username, email: emails.primary });
  return id;
}

/** Writes what has changed in the source alone; the name stays. Returns the names of the parts. */
async function update(writing: Writing, tx: Transaction, planned: PlannedUser, before: ImportedObject) {
  const { digests, findings } = writing;
  const { objectId } = before;
  const about = `user ${planned.username}`;
  const parts = partsOf(planned);
  const readHere = () => readUser(writing, tx, { id: objectId, about });
  const merge = await mergeParts(digests, before.parts.digests, parts, readHere);
  const changed = new Set(merge.apply);
  await changeUser(writing, tx, objectId, planned, changed);
  const { further } = planned.keys;
  const former = formerList(before, 'keys', entriesOf(further));
  if (await changeKeys(writing, tx, { id: objectId, about }, former, further)) changed.add('keys');
  if (changed.size > 0) {
    await recordChange(tx, 'update_user', { userid: planned.username, changed: [...changed] });
  }
  tellKept(findings, about, merge.kept);
  return { changed, digests: merge.digests };
}

async function writeOne(writing: Writing, tx: Transaction, user: PlannedUser): Promise<void> {
  const { digests, here, source, ids, sums } = writing;
  const before = here.imported.get(importedKey('user', user.id));
  const objectId = before?.objectId ?? (await create(writing, tx, user));
  const written = before
    ? await update(writing, tx, user, before)
    : { changed: new Set<string>(), digests: digestParts(digests, partsOf(user)) };
  const parts = { digests: written.digests, lists: { keys: entriesOf(user.keys.further) } };
  await recordImported(tx, { source, kind: 'user', sourceId: user.id, objectId, parts }, before);
  ids.users.set(user.id, objectId);
  count(sums, !before, written.changed);
}

export async function writeUsers(writing: Writing, planned: readonly PlannedUser[]): Promise<void> {
  await inBatches(writing, planned, (tx, user) => writeOne(writing, tx, user));
}
