/** Content-Security-Policy of pages: no scripts, no framing, no requests to other hosts. */
const pagePolicy = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Content-Security-Policy of repository content: a sandbox in which no script runs. */
const contentPolicy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox";

const common = {
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
};

export const pageHeaders = {
  ...common,
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': pagePolicy,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
  'Referrer-Policy': 'same-origin',
  'X-Frame-Options': 'DENY',
};

export const contentHeaders = {
  ...common,
  'Content-Security-Policy': contentPolicy,
  'Referrer-Policy': 'no-referrer',
};
