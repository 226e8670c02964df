/** The revision that pages show first, without the prefix `rev:` that clients of older services store. */
export function landingRevision(landingRev: string): string {
  return landingRev.replace(/^(?:rev|branch|tag|book):/, '') || 'tip';
}
