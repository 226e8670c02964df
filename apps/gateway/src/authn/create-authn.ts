import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { decodeCallersChanged, served, subjects } from '@trunkline/contracts';
import { systemClock as clock } from '../clock.ts';
import type { GatewayConfig } from '../config.ts';
import type { Connections } from '../connections.ts';
import type { Dispatch } from '../dispatch/command.ts';
import type { WebContext } from '../web/web-context.ts';
import { createAuthenticate, type Authenticate } from './authenticate.ts';
import { AcceptedLogins, createBasicLogin } from './basic-login.ts';
import { createCallerCache } from './caller-cache.ts';
import { callerStore, createLookUp, createRecordKeyUse } from './caller-store.ts';
import { createLookUpThrottle } from './guess-throttles.ts';
import { limitRate } from './rate-limit.ts';
import { createSessions, sessionCookie } from './sessions.ts';
import { sessionStore } from './session-store.ts';
import { createCheckLogin, type CheckLoginTools } from './sign-in/check-login.ts';
import { openLdap } from './sign-in/ldap.ts';
import { createPasswordQueues } from './sign-in/password-queues.ts';
import { signInStore } from './sign-in/sign-in-store.ts';
import { createSignIn } from './sign-in/sign-in.ts';

/** Creates the check of keys, with a limit for each of them if one is set. */
export function createKeyCheck(config: GatewayConfig, { db, bulkhead, bus, vault, logger, metrics }: Connections) {
  const cache = createCallerCache(clock);
  metrics.observeCache('callers', () => cache.figures);
  const lookUp = createLookUp(callerStore(db), bulkhead);
  bus.listen(subjects.callersChanged, (payload) => {
    cache.drop(decodeCallersChanged(payload));
    lookUp.forget();
  });
  const authenticate = createAuthenticate({
    vault,
    cache,
    lookUp,
    throttle: createLookUpThrottle(clock),
    recordKeyUse: createRecordKeyUse(db, logger),
  });
  const limit = { perSecond: config.TRUNKLINE_RATE_LIMIT, burst: config.TRUNKLINE_RATE_LIMIT_BURST };
  return limitRate(authenticate, clock, limit);
}

/** Creates the checks of logins, the sign-in, the sessions and their cookie. */
export async function createSignInTools(
  config: GatewayConfig,
  { db, bulkhead, transact, bus, vault, logger }: Connections,
  { authenticate, dispatch }: { readonly authenticate: Authenticate; readonly dispatch: Dispatch },
  isSecure: (incoming: IncomingMessage) => boolean,
) {
  const idleHours = config.TRUNKLINE_SESSION_HOURS;
  const { TRUNKLINE_LDAP_URL: url, TRUNKLINE_LDAP_START_TLS: startTls, TRUNKLINE_LDAP_CA_FILE: caFile } = config;
  const ldap = await openLdap({ url, startTls, caFile });
  const queues = createPasswordQueues();
  const store = signInStore({ db, clock, idleHours, bulkhead, transact, queues });
  const upgradePassword: CheckLoginTools['upgradePassword'] = async ({ userId, fingerprint }, { password, ip }) => {
    const caller = { userId, ip, credential: { kind: 'password', fingerprint } } as const;
    const method = served.upgrade_password;
    await dispatch({ method, lane: method.lane, args: { password }, caller, requestId: randomUUID() });
  };
  const checkLogin = createCheckLogin({ store, upgradePassword, ldap, clock, queues, logger });
  const accepted = new AcceptedLogins(clock);
  bus.listen(subjects.callersChanged, (payload) => accepted.drop(decodeCallersChanged(payload)));
  return {
    login: createBasicLogin({ authenticate, checkLogin, accepted, store, logger }),
    signIn: createSignIn({ store, checkLogin, vault, logger }),
    sessions: createSessions({ store: sessionStore({ db, idleHours, bulkhead, transact, logger }), vault }),
    cookie: sessionCookie(vault, (c: WebContext) => isSecure(c.env.incoming)),
  };
}
