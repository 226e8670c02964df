import { readFileSync } from 'node:fs';
import { createSecureContext, type SecureContext } from 'node:tls';

const bundles = ['/etc/ssl/certs/ca-certificates.crt', '/etc/pki/tls/certs/ca-bundle.crt', '/etc/ssl/cert.pem'];

/** Trusts whom git trusts: the certificate authorities of the system, or Node's own where the system has none. */
export function systemTrust(): SecureContext {
  for (const bundle of bundles) {
    try {
      return createSecureContext({ ca: readFileSync(bundle) });
    } catch {
      // The paths of the certificate bundle on different systems.
    }
  }
  return createSecureContext();
}
