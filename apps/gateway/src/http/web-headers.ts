/** Nothing that a page shows can run, be framed or send elsewhere. */
const pagePolicy = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** What a repository holds is shown in a place of its own, in which nothing runs. */
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
