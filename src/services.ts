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
import { inBatches, inJobContext, type Job } from './runtime/jobs.ts'
import { createSessions, endSessionsOf, type Sessions } from './session/sessions.ts'
import { type Captcha, createCaptcha, purgeChallenges } from './throttle/captcha.ts'
import { createLoginLimits, type LoginLimits } from './throttle/limits.ts'
import { createThrottleOverview, type ThrottleOverview } from './throttle/overview.ts'
import { purgeThrottle } from './throttle/throttle.ts'
import { createProfiles, type Profiles } from './token/profiles.ts'
import { loadRevocations, type Revocations } from './token/revocations.ts'
import { createRotation, type Rotation } from './token/rotation.ts'
import { createTokens, type Tokens } from './token/tokens.ts'
import { createSecondFactor, type SecondFactor } from './totp/second-factor.ts'
import { createImports, type Imports } from './transfer/import.ts'
import { createUsers, type Users } from './users/users.ts'

export const purgeEveryMs = 60_000
// On SQLite everything else waits for a step: these take 20 ms of a large database.
export const purgeBatchSize = 250
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
  const { config, db, asyncCommitDb, clock, events, random } = deps
  await migrate(db, clock, { mayChange: mayMigrate })

  const keys = await loadKeySet(deps)
  const revocations = await loadRevocations(deps)
  const passwords = createPasswords(deps)
  const requirements = createRequirements(deps)
  const lock = createAutomaticLock(deps)
  const captcha = createCaptcha({ ...deps, keys })
  const limits = createLoginLimits({
    ...deps,
    db: asyncCommitDb,
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
export function jobsOf(
  { flows, idempotency, imports, keys, revocations, rotation, sessions }: Services,
  deps: Deps,
): Job[] {
  const purging = inBatches(purgeBatchSize)
  return [
    { name: 'session activity', everyMs: flushEveryMs, run: sessions.flush },
    { name: 'ended sessions', everyMs: purgeEveryMs, run: purging(sessions.purge) },
    { name: 'keys of other processes', everyMs: flushEveryMs, run: keys.refresh },
    { name: 'key rotation', everyMs: rotateEveryMs, run: keys.rotateIfDue },
    { name: 'sign-ins under way', everyMs: purgeEveryMs, run: purging(flows.purge) },
    { name: 'refresh tokens', everyMs: purgeEveryMs, run: purging(rotation.purge) },
    { name: 'dead imports', everyMs: purgeEveryMs, run: purging(imports.purge) },
    { name: 'revocations', everyMs: purgeEveryMs, run: purging(revocations.purge) },
    { name: 'idempotency keys', everyMs: purgeEveryMs, run: purging(idempotency.purge) },
    {
      name: 'throttle places',
      everyMs: purgeEveryMs,
      run: purging((most) => purgeThrottle(deps, most)),
    },
    {
      name: 'used captchas',
      everyMs: purgeEveryMs,
      run: purging((most) => purgeChallenges(deps, most)),
    },
  ].map(inJobContext)
}
