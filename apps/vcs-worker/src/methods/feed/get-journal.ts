import { readActivity } from '../../domain/activity/read-activity.ts';
import type { MethodHandler } from '../context.ts';

export const getJournal: MethodHandler<'get_journal'> = async ({ kind, limit, cursor }, { db, access }) =>
  readActivity(db, kind, { user: access.user, limit, cursor });
