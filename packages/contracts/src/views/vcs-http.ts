import * as v from 'valibot';
import { optional, required } from '../args/arg.ts';
import { entityRef, flag, text, wholeNumber } from '../args/schemas.ts';
import { contentOf } from '../messages/content.ts';
import { DataOfferSchema } from '../messages/data-offer.ts';
import { defineMethod } from '../method.ts';

/** What a client of a version control system asks for when it reads. */
const requests = ['git-refs', 'git-fetch', 'hg'] as const;

export type VcsReadRequest = (typeof requests)[number];

/** The commands by which a Mercurial client reads. */
export const hgReadCommands = [
  'batch',
  'between',
  'branches',
  'branchmap',
  'capabilities',
  'changegroup',
  'changegroupsubset',
  'getbundle',
  'heads',
  'hello',
  'known',
  'listkeys',
  'lookup',
  'protocaps',
] as const;

export type HgReadCommand = (typeof hgReadCommands)[number];

/** The commands by which a Mercurial client pushes. */
export const hgPushCommands = ['unbundle', 'pushkey'] as const;

export type HgPushCommand = (typeof hgPushCommands)[number];

/** Bytes of the arguments of a Mercurial command that pushes. */
export const hgPushArgsBytesMax = 64 * 1024;

/** Media types of the answers that Mercurial clients understand. */
export const HgMediaType = v.picklist([
  'application/mercurial-0.1',
  'application/mercurial-0.2',
  'application/hg-error',
]);

/** Bytes of what a Mercurial client says that it understands. */
export const hgCapsCharsMax = 1_024;
/** What a client asks for when it pushes: what the repository has, and the push itself. */
const pushRequests = ['git-push-refs', 'git-push', 'hg-push'] as const;

export type VcsPushRequest = (typeof pushRequests)[number];

/** Bytes of a request's body up to which the body is part of the command. */
export const vcsBodyBytesMax = 64 * 1024;

const hgCaps = optional(
  v.pipe(text(hgCapsCharsMax), v.regex(/^[ -~]*$/, 'must be ASCII')),
  '',
  'What a Mercurial client understands',
);
const repoid = required(entityRef, 'Repository name or id');
const Base64 = v.pipe(text(Math.ceil(vcsBodyBytesMax / 3) * 4), v.regex(/^[A-Za-z0-9+/]*={0,2}$/, 'must be base64'));

/** Head of an answer: the bytes follow it or, with an offer, come over the worker's data port. */
export const VcsAnswerHead = v.strictObject({
  offer: v.nullable(DataOfferSchema),
  /** Type of an answer for Mercurial; null for git, whose requests determine it, and where it comes with the transfer. */
  type: v.optional(v.nullable(HgMediaType), null),
});

export const wireRead = defineMethod({
  name: 'wire_read',
  summary: 'Answers one request of a git or Mercurial client that reads a repository.',
  permission: { caller: 'any', repository: 'read' },
  limitedKeys: 'fetch',
  lane: 'wire',
  access: 'read',
  args: {
    repoid,
    request: required(v.picklist(requests, `must be one of ${requests.join(', ')}`), 'What the client asks for'),
    protocol: optional(wholeNumber(0, 2), 0, "Version of git's protocol"),
    command: optional(
      v.picklist(hgReadCommands, `must be one of ${hgReadCommands.join(', ')}`),
      'capabilities',
      'Command of a Mercurial client',
    ),
    caps: hgCaps,
    body: optional(Base64, null, 'Body of the request, or arguments of a Mercurial command, in base64'),
    streamed: optional(flag, false, 'Whether the body comes over the data port instead'),
  },
  result: contentOf(VcsAnswerHead),
});

/** The handler requires the right to write, so that who may only read is told of it. */
export const wirePush = defineMethod({
  name: 'wire_push',
  summary: 'Answers one request of a client that pushes; the push itself goes over the data port.',
  permission: { caller: 'any', repository: 'read' },
  limitedKeys: 'push',
  lane: 'wire-push',
  access: 'read',
  args: {
    repoid,
    request: required(
      v.picklist(pushRequests, `must be one of ${pushRequests.join(', ')}`),
      'What the client asks for',
    ),
    command: optional(
      v.picklist(hgPushCommands, `must be one of ${hgPushCommands.join(', ')}`),
      'unbundle',
      'Command of a Mercurial client',
    ),
    caps: hgCaps,
    args: optional(
      v.pipe(text(hgPushArgsBytesMax), v.regex(/^[ -~]*$/, 'must be ASCII')),
      '',
      'Arguments of a Mercurial command, in the form of a query',
    ),
    argsBytes: optional(
      wholeNumber(0, hgPushArgsBytesMax),
      0,
      'Bytes of further arguments at the beginning of the body',
    ),
  },
  result: contentOf(VcsAnswerHead),
});
