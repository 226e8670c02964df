/** Where to call and as whom. */
export interface Connection {
  readonly apihost: string;
  readonly apikey: string;
}
