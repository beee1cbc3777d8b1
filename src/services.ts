import {
  type Accounts,
  createAccounts,
  isAdministratorsUser,
  presentAccount,
} from './accounts/accounts.ts'
import { type AutomaticLock, createAutomaticLock } from './accounts/lock.ts'
import { type Completion, createCompletion } from './authentication/completion.ts'
import { createRequirements, type Requirements } from './authentication/requirements.ts'
import { migrate } from './database/migrate.ts'
import { createFlows, type Flows } from './federation/flow.ts'
import { createIdentities, type Identities } from './federation/identities.ts'
import { createProviders, type Providers } from './federation/providers.ts'
import { createIdempotency, type Idempotency } from './idempotency/idempotency.ts'
import { type KeySet, loadKeySet } from './keys/key-set.ts'
import { createPasswords, type Passwords } from './passwords/passwords.ts'
import { breachQuery } from './passwords/range-query.ts'
import { createVerifier, type Verifier } from './passwords/verifier.ts'
import { createPosts, type Posts } from './posts/posts.ts'
import type { Deps } from './runtime/deps.ts'
import { asJob, type Chore, inBatches } from './runtime/jobs.ts'
import { createSessions, endSessionsOf, type Sessions } from './session/sessions.ts'
import { type Captcha, createCaptcha, reapChallenges } from './throttle/captcha.ts'
import { createLoginLimits, type LoginLimits } from './throttle/limits.ts'
import { createThrottleOverview, type ThrottleOverview } from './throttle/overview.ts'
import { reapThrottle } from './throttle/throttle.ts'
import { createProfiles, type Profiles } from './token/profiles.ts'
import { loadRevocations, type Revocations } from './token/revocations.ts'
import { createRotation, type Rotation } from './token/rotation.ts'
import { createTokens, type Tokens } from './token/tokens.ts'
import { createSecondFactor, type SecondFactor } from './totp/second-factor.ts'
import { createImports, type Imports } from './transfer/import.ts'
import { createUsers, type Users } from './users/users.ts'

export const reapEveryMs = 60_000
// On SQLite everything else waits for a step: these take 20 ms of a large database.
export const reapedAtOnce = 250
const flushEveryMs = 1000
const rotateEveryMs = 3_600_000

/** What the rooms offer each other, put together: the service without its HTTP. */
export interface Services {
  readonly accounts: Accounts
  readonly captcha: Captcha
  readonly completion: Completion
  readonly flows: Flows
  readonly identities: Identities
  readonly idempotency: Idempotency
  readonly imports: Imports
  readonly keys: KeySet
  readonly limits: LoginLimits
  readonly lock: AutomaticLock
  readonly passwords: Passwords
  readonly posts: Posts
  readonly profiles: Profiles
  readonly providers: Providers
  readonly requirements: Requirements
  readonly revocations: Revocations
  readonly rotation: Rotation
  readonly secondFactor: SecondFactor
  readonly sessions: Sessions
  readonly throttle: ThrottleOverview
  readonly tokens: Tokens
  readonly users: Users
  readonly verifier: Verifier
}

/**
 * Schema and keys first, then every room's service; for the server and for the command line.
 * @throws Error where the schema is an older one and `mayMigrate` is false
 */
export async function createServices(deps: Deps, { mayMigrate = true } = {}): Promise<Services> {
  const { config, db, unsyncedDb, clock, events, random } = deps
  await migrate(db, clock, { mayChange: mayMigrate })

  const keys = await loadKeySet(deps)
  const revocations = await loadRevocations(deps)
  const passwords = createPasswords(deps)
  const requirements = createRequirements(deps)
  const lock = createAutomaticLock(deps)
  const captcha = createCaptcha({ ...deps, keys })
  const limits = createLoginLimits({
    ...deps,
    db: unsyncedDb,
    captcha,
    failures: lock,
    keys,
  })
  const isBreached = breachQuery(deps)
  const accounts = createAccounts({
    ...deps,
    passwords,
    isBreached,
    requirements,
    hooks: {
      ending: [endSessionsOf],
      revoking: [revocations.revokeBelow],
      changed: [revocations.appended],
    },
  })
  const users = createUsers({
    config,
    db,
    events,
    hooks: {
      isPrivileged: isAdministratorsUser,
      removing: [accounts.removeWithUser],
      changed: [(id) => profiles.forget(id), revocations.appended],
    },
  })
  const profiles = createProfiles(users, revocations)
  return {
    accounts,
    captcha,
    completion: createCompletion({ ...deps, requirements, present: presentAccount }),
    flows: createFlows({ ...deps, accounts, keys }),
    identities: createIdentities({ ...deps, accounts }),
    idempotency: createIdempotency({ ...deps, keys }),
    imports: createImports({ ...deps, passwords, isBreached }),
    keys,
    limits,
    lock,
    passwords,
    posts: createPosts(deps),
    profiles,
    providers: createProviders(deps),
    requirements,
    revocations,
    rotation: createRotation(deps),
    secondFactor: createSecondFactor({ ...deps, accounts, keys }),
    sessions: createSessions({ ...deps, accounts, requirements }),
    throttle: createThrottleOverview({ ...deps, keys }),
    tokens: createTokens({ config, clock, random, keys }),
    users,
    verifier: createVerifier({ ...deps, passwords }),
  }
}

/** What runs beside the requests. */
export function choresOf(
  { flows, idempotency, imports, keys, revocations, rotation, sessions }: Services,
  deps: Deps,
): Chore[] {
  const reaping = inBatches(reapedAtOnce)
  return [
    { name: 'session activity', everyMs: flushEveryMs, run: sessions.flush },
    { name: 'ended sessions', everyMs: reapEveryMs, run: reaping(sessions.reap) },
    { name: 'keys of other processes', everyMs: flushEveryMs, run: keys.refresh },
    { name: 'key rotation', everyMs: rotateEveryMs, run: keys.rotateIfDue },
    { name: 'sign-ins under way', everyMs: reapEveryMs, run: reaping(flows.reap) },
    { name: 'refresh tokens', everyMs: reapEveryMs, run: reaping(rotation.reap) },
    { name: 'dead imports', everyMs: reapEveryMs, run: reaping(imports.reap) },
    { name: 'revocations', everyMs: reapEveryMs, run: reaping(revocations.reap) },
    { name: 'idempotency keys', everyMs: reapEveryMs, run: reaping(idempotency.reap) },
    {
      name: 'throttle places',
      everyMs: reapEveryMs,
      run: reaping((most) => reapThrottle(deps, most)),
    },
    {
      name: 'used captchas',
      everyMs: reapEveryMs,
      run: reaping((most) => reapChallenges(deps, most)),
    },
  ].map(asJob)
}
