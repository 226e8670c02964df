const unprintable = /(?!\n)[\p{Cc}\p{Cf}]/gu;

/** Returns a text in which nothing moves the cursor or hides what stands beside it: names in a backup can be anybody's. */
export function printable(text: string): string {
  return text.replaceAll(unprintable, '?');
}
