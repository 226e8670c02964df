import { createHash } from 'node:crypto';
import { NotFoundError } from '@trunkline/contracts';
import type { Visit } from '../../visit.ts';

interface AskedContent {
  readonly repoid: number;
  readonly revision: string;
  /** The path of a file; null for an archive. */
  readonly path: string | null;
}

/**
 * Returns the changeset of the content that a request names, and a file's size, when the answer may depend on these
 * alone: then no content is opened. Null for other requests, for what is not there, and from a worker of the former
 * release.
 */
export async function findContentId({ http, worker }: Visit, { path, ...at }: AskedContent) {
  const { 'if-none-match': tags = '', range } = http.incoming.headers;
  const needsFile = path !== null && (range !== undefined || tags.includes('*'));
  if (tags === '' && !needsFile) return null;
  const of = path === null ? 'archive' : 'file';
  const asked = worker.callNew('view_content_id', { ...at, of, ...(needsFile && { path }) });
  return asked.catch((error: unknown) => {
    if (error instanceof NotFoundError) return null;
    throw error;
  });
}

/** Returns the tag of what is the same for the same parts. */
export function tagOf(...parts: readonly string[]): string {
  return `"${createHash('sha256').update(JSON.stringify(parts)).digest('base64url')}"`;
}
