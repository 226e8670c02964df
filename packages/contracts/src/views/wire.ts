import * as v from 'valibot';
import { optional, required } from '../args/arg.ts';
import { entityRef } from '../args/entity-ref.ts';
import { flag } from '../args/flag.ts';
import { text } from '../args/text.ts';
import { wholeNumber } from '../args/whole-number.ts';
import { contentOf } from '../messages/content.ts';
import { DataOfferSchema } from '../messages/data-offer.ts';
import { defineMethod } from '../method.ts';

/** What a client of a version control system asks for; a worker serves the first two. */
const requests = ['git-refs', 'git-fetch', 'git-push', 'hg'] as const;

export type WireRequest = (typeof requests)[number];

/** Bytes of a request's body up to which the body is part of the command. */
export const wireBodyBytesMax = 64 * 1024;

const Base64 = v.pipe(text(Math.ceil(wireBodyBytesMax / 3) * 4), v.regex(/^[A-Za-z0-9+/]*={0,2}$/, 'must be base64'));

/** Head of an answer: the bytes follow it or, with an offer, come over the worker's data port. */
export const WireHead = v.strictObject({ offer: v.nullable(DataOfferSchema) });

export const wireRead = defineMethod({
  name: 'wire_read',
  summary: 'Answers one request of a git client that reads a repository.',
  permission: { caller: 'any', repository: 'read' },
  limitedKeys: 'fetch',
  lane: 'wire',
  access: 'read',
  args: {
    repoid: required(entityRef, 'Repository name or id'),
    request: required(v.picklist(requests, `must be one of ${requests.join(', ')}`), 'What the client asks for'),
    protocol: optional(wholeNumber(0, 2), 0, "Version of git's protocol"),
    body: optional(Base64, null, 'Body of the request in base64'),
    streamed: optional(flag, false, 'Whether the body comes over the data port instead'),
  },
  result: contentOf(WireHead),
});
