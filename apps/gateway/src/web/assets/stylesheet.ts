import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { adminCss, componentsCss, formsCss } from './components-css.ts';
import { fileCss } from './file-css.ts';
import { directoryCss } from './directory-css.ts';
import { documentCss } from './document-css.ts';
import { changesetCss, filesCss, markdownCss, repositoryCss } from './repository-css.ts';
import { diffCss } from './diff-css.ts';
import { foundationCss, printCss } from './foundation-css.ts';
import { highlightCss } from './highlight-css.ts';
import { historyCss } from './history-css.ts';
import { refsCss } from './refs-css.ts';

export const stylesheet = [
  foundationCss,
  formsCss,
  componentsCss,
  repositoryCss,
  adminCss,
  changesetCss,
  diffCss,
  filesCss,
  directoryCss,
  fileCss,
  highlightCss,
  historyCss,
  refsCss,
  markdownCss,
  documentCss,
  printCss,
].join('\n');

const version = createHash('sha256').update(stylesheet).digest('hex').slice(0, 12);

/** The path of the stylesheet, which changes with its content, so that browsers may keep it. */
export const stylesheetPath = `/_admin/assets/${version}.css`;

const encoders = { br: promisify(brotliCompress), gzip: promisify(gzip) };
const encoded = new Map<string, Promise<Buffer<ArrayBuffer>>>();

/** Returns the stylesheet in an encoding, in which it is compressed once. */
export function stylesheetAs(encoding: keyof typeof encoders): Promise<Buffer<ArrayBuffer>> {
  const known = encoded.get(encoding) ?? encoders[encoding](stylesheet);
  encoded.set(encoding, known);
  return known;
}

export const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#1f5fa8"/>' +
  '<g fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round"><path d="M11 7v18"/><path d="M11 19c0-5 10-3 10-9"/>' +
  '</g><circle cx="11" cy="25" r="3" fill="#fff"/><circle cx="21" cy="8" r="3" fill="#fff"/></svg>';
