/** The base URL of a service, and the API key to call it with. */
export interface Connection {
  readonly apihost: string;
  readonly apikey: string;
}
