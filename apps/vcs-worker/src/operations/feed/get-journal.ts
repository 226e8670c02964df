import { readJournal } from '../../activity/read-journal.ts';
import type { Handler } from '../context.ts';

export const getJournal: Handler<'get_journal'> = async ({ kind, limit, cursor }, { db, access }) =>
  readJournal(db, kind, { user: access.user, limit, cursor });
