/**
 * Returns the revision that pages show first, without a prefix such as `rev:`, which clients of older services store;
 * `tip` for an empty one.
 */
export function landingRevision(landingRev: string): string {
  return landingRev.replace(/^(?:rev|branch|tag|book):/, '') || 'tip';
}
