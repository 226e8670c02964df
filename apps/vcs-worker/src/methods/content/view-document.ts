import { normalizeRoot } from '../../vcs/root-path.ts';
import type { MethodHandler } from '../context.ts';
import { atRevision } from './at-revision.ts';
import { shownFile } from './view-path.ts';

/** Limit of a document, in characters, as gateways have it for other formats. */
const textMax = 512 * 1024;

export const viewDocument: MethodHandler<'view_document'> = (args, context) =>
  atRevision(args, context, async ({ backend, path, rawId }) => {
    const { text } = await shownFile(await backend.openFile(path, rawId, normalizeRoot(args.path)));
    const isShort = text !== null && text.length <= textMax;
    return { html: isShort ? await context.renderRst(text, context.signal) : null };
  });
