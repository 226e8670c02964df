import * as v from 'valibot';
import { timestamp } from './timestamp.ts';

/** One entry of activity: what a user did to a repository. */
export const ActivityRecord = v.strictObject({
  id: v.number(),
  date: timestamp,
  actor: v.string(),
  /** First and last name; the username where there is none. */
  actor_name: v.string(),
  /** What was done, in words that precede the repository's name. */
  action: v.string(),
  repo_name: v.string(),
  /** The path of a page about it; null when the repository was deleted. */
  link: v.nullable(v.string()),
});
export type ActivityRecord = v.InferOutput<typeof ActivityRecord>;
