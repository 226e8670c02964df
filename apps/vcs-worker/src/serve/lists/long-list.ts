/** Result that is a list of more than one page. Each page is read when the previous one has been taken. */
export class LongList<Entry> {
  readonly pages: AsyncIterable<readonly Entry[]>;

  constructor(pages: AsyncIterable<readonly Entry[]>) {
    this.pages = pages;
  }
}
