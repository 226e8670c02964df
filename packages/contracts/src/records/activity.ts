import * as v from 'valibot';
import { timestamp } from './timestamp.ts';

/** Entry of activity: an action of a user on a repository. */
export const ActivityRecord = v.strictObject({
  id: v.number(),
  date: timestamp,
  actor: v.string(),
  /** First and last name; the username of a user who has neither. */
  actor_name: v.string(),
  /** Description of the action, in words that precede the repository's name. */
  action: v.string(),
  repo_name: v.string(),
  /** How many times within ten minutes; absent for actions that are shown one by one. */
  count: v.optional(v.number()),
  /** Path of a page about the action; null when the repository was deleted. */
  link: v.nullable(v.string()),
});
export type ActivityRecord = v.InferOutput<typeof ActivityRecord>;
