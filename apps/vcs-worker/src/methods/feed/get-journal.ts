import { readJournal } from '../../activity/read-journal.ts';
import type { MethodHandler } from '../context.ts';

export const getJournal: MethodHandler<'get_journal'> = async ({ kind, limit, cursor }, { db, access }) =>
  readJournal(db, kind, { user: access.user, limit, cursor });
