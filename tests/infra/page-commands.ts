/** Returns the commands of a page: its blocks that begin with `sh`, in their order. */
export function commandsOf(page: string): readonly string[] {
  return [...page.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block = '']) => block);
}
