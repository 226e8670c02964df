/** The revision that pages show first; clients may have stored it with the kind that older services put before it. */
export function landingRevision(landingRev: string): string {
  return landingRev.replace(/^(?:rev|branch|tag|book):/, '') || 'tip';
}
