/** Returns the notice that tells what became of an operation that was to be cancelled, by the text of `cancel_operation`. */
export function cancelNotice(text: string): string {
  return `${text.replace(/^operation `[^`]*`/, 'The operation')}.`;
}
