/** A result that is encoded already. */
export class KeptReply {
  readonly payload: Uint8Array;

  constructor(payload: Uint8Array) {
    this.payload = payload;
  }
}
