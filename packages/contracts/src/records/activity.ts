import * as v from 'valibot';
import { timestamp } from './timestamp.ts';

/** What somebody did to a repository. */
export const ActivityRecord = v.strictObject({
  id: v.number(),
  date: timestamp,
  actor: v.string(),
  /** First and last name; the username where there is none. */
  actor_name: v.string(),
  /** In words that go before the repository's name. */
  action: v.string(),
  repo_name: v.string(),
  /** The path of a page that tells more; null when the repository is gone. */
  link: v.nullable(v.string()),
});
export type ActivityRecord = v.InferOutput<typeof ActivityRecord>;
