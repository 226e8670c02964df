import * as v from 'valibot';
import { optional, required } from '../args/arg.ts';
import { text, wholeNumber } from '../args/schemas.ts';
import { defineMethod } from '../method.ts';
import { listRefs, refKind, RefRecord } from './refs.ts';

/** What a reference names, for a list of them. */
const DescribedRefRecord = v.strictObject({
  ...RefRecord.entries,
  /** The first line of the message, cut; null for a changeset whose text is too long. */
  changeset: v.nullable(
    v.strictObject({ author: v.string(), date: v.string(), about: v.string(), has_signature: v.boolean() }),
  ),
  /** What an annotated tag says; null for every other reference. */
  tag: v.nullable(
    v.strictObject({ tagger: v.string(), date: v.string(), message: v.string(), has_signature: v.boolean() }),
  ),
  /** How many changesets only this reference reaches, and only the default one; null where that was not counted. */
  ahead: v.nullable(v.number()),
  behind: v.nullable(v.number()),
});
export type DescribedRefRecord = v.InferOutput<typeof DescribedRefRecord>;

export const browseRefs = defineMethod({
  name: 'browse_refs',
  summary: 'Lists the branches, bookmarks or tags of a repository with what they name, the default one first.',
  permission: listRefs.permission,
  lane: listRefs.lane,
  access: 'read',
  args: {
    repoid: listRefs.args.repoid,
    kind: required(refKind, '`branch`, `bookmark` or `tag`'),
    order: optional(
      v.picklist(['newest', 'name']),
      'newest',
      '`newest`, which is the order of versions for tags, or `name`; closed branches are last',
    ),
    filter: listRefs.args.filter,
    limit: optional(wholeNumber(1, 100), 100, 'Maximum number of references'),
    cursor: optional(
      v.pipe(text(300), v.regex(/^\d{1,9}:/, 'must be the `next` of another page')),
      null,
      'Only references after those of the page whose `next` this is',
      'the beginning',
    ),
  },
  result: v.strictObject({
    refs: v.array(DescribedRefRecord),
    /** The cursor of the next page. */
    next: v.nullable(v.string()),
    /** Number of references of this kind, whatever the filter. */
    total: v.number(),
    /** The branch or bookmark with which pages begin, and with which others are compared; null for none. */
    default_ref: v.nullable(RefRecord),
  }),
});
