import * as v from 'valibot';
import { optional, required } from '../args/arg.ts';
import { entityRef, text, wholeNumber } from '../args/schemas.ts';
import { refCursor, refNameCharsMax } from '../args/shared-args.ts';
import { defineMethod } from '../method.ts';

const read = {
  permission: { caller: 'any', repository: 'read', refuseOpenly: true },
  lane: 'storage',
  access: 'read',
} as const;
const repoid = required(entityRef, 'Repository name or id');
export const refKind = v.picklist(['branch', 'bookmark', 'tag']);
const rawId = v.pipe(text(40), v.regex(/^[0-9a-f]{40}$/, 'must be a full changeset id'));
const idsMax = 200;

export const RefRecord = v.strictObject({ kind: refKind, name: v.string(), raw_id: v.string(), closed: v.boolean() });
export type RefRecord = v.InferOutput<typeof RefRecord>;

export const NameMeaning = v.strictObject({
  /** What a text is taken for as a revision; null when no reference has that name. */
  taken_for: v.nullable(v.picklist(['tip', 'id', 'number', 'full name', ...refKind.options])),
  /** The references of that name that it is not taken for. */
  others: v.array(RefRecord),
  /** The id, which begins with the text, of a changeset that it is not taken for. */
  prefix_of: v.nullable(v.string()),
  /** The longest name of a reference, with a slash in it, after which the text goes on with a slash. */
  beginning: v.nullable(v.string()),
  /** Whether names of references go on after the text with a slash; absent in answers of earlier releases. */
  is_beginning: v.optional(v.boolean()),
});
export type NameMeaning = v.InferOutput<typeof NameMeaning>;

export const listRefs = defineMethod({
  name: 'list_refs',
  summary: 'Lists references by name: open branches, bookmarks, tags, closed branches.',
  ...read,
  args: {
    repoid,
    kind: optional(v.nullable(refKind), null, '`branch`, `bookmark` or `tag`', 'all kinds'),
    filter: optional(text(255), null, 'Part of the name, in upper or lower case', 'any name'),
    named: optional(text(refNameCharsMax), null, 'Name of a reference to return beside the page', 'none'),
    limit: optional(wholeNumber(1, 500), 100, 'Maximum number of references'),
    cursor: refCursor,
  },
  result: v.strictObject({
    refs: v.array(RefRecord),
    /** The cursor of the next page. */
    next: v.nullable(v.string()),
    /** Number of references of this kind, whatever the filter. */
    total: v.number(),
    named: v.nullable(RefRecord),
    /** That of `named`; absent without it, and in answers of earlier releases. */
    meaning: v.optional(NameMeaning),
  }),
});

export const refsOf = defineMethod({
  name: 'refs_of',
  summary: 'Returns the references to each of some changesets: the first twelve, and how many there are.',
  ...read,
  args: {
    repoid,
    raw_ids: required(v.pipe(v.array(rawId), v.maxLength(idsMax)), `At most ${idsMax} full changeset ids`),
  },
  result: v.array(v.strictObject({ raw_id: v.string(), refs: v.array(RefRecord), count: v.number() })),
});
