/** An API key: 160 bits, and fewer in one that an import has taken on with `--weak-keys`. */
export const keyPattern = /^[0-9a-f]{20,40}$/;
