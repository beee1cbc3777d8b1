import { module as core } from './core/module/core.ts'
import type { Module } from './core/module/module.ts'
import { module as accountDetails } from './extras/account-details/module.ts'
import { module as apiReference } from './extras/api-reference/module.ts'
import { module as appPasswords } from './extras/app-passwords/module.ts'
import { module as backup } from './extras/backup/module.ts'
import { module as clientRegistration } from './extras/client-registration/module.ts'
import { module as console } from './extras/console/module.ts'
import { module as doctor } from './extras/doctor/module.ts'
import { module as emailAddresses } from './extras/email-addresses/module.ts'
import { module as emailSignIn } from './extras/email-sign-in/module.ts'
import { module as explain } from './extras/explain/module.ts'
import { module as forwardAuth } from './extras/forward-auth/module.ts'
import { module as home } from './extras/home/module.ts'
import { module as importExport } from './extras/import-export/module.ts'
import { module as mail } from './extras/mail/module.ts'
import { module as metrics } from './extras/metrics/module.ts'
import { module as oneTimeTokens } from './extras/one-time-tokens/module.ts'
import { module as ownAccount } from './extras/own-account/module.ts'
import { module as personalData } from './extras/personal-data/module.ts'
import { module as profile } from './extras/profile/module.ts'
import { module as provider } from './extras/provider/module.ts'
import { module as recovery } from './extras/recovery/module.ts'
import { module as rememberedDevices } from './extras/remembered-devices/module.ts'
import { module as signUp } from './extras/sign-up/module.ts'
import { module as statistics } from './extras/statistics/module.ts'
import { module as status } from './extras/status/module.ts'
import { module as tracing } from './extras/tracing/module.ts'
import { module as verify } from './extras/verify/module.ts'
import { module as webhooks } from './extras/webhooks/module.ts'
import { module as accounts } from './modules/accounts/module.ts'
import { module as apiKeys } from './modules/api-keys/module.ts'
import { module as audit } from './modules/audit/module.ts'
import { module as authentication } from './modules/authentication/module.ts'
import { module as basic } from './modules/basic/module.ts'
import { module as clients } from './modules/clients/module.ts'
import { module as devices } from './modules/devices/module.ts'
import { module as factors } from './modules/factors/module.ts'
import { module as federation } from './modules/federation/module.ts'
import { module as flows } from './modules/flows/module.ts'
import { module as health } from './modules/health/module.ts'
import { module as idempotency } from './modules/idempotency/module.ts'
import { module as keys } from './modules/keys/module.ts'
import { module as login } from './modules/login/module.ts'
import { module as pages } from './modules/pages/module.ts'
import { module as passkeys } from './modules/passkeys/module.ts'
import { module as passwords } from './modules/passwords/module.ts'
import { module as posts } from './modules/posts/module.ts'
import { module as proofs } from './modules/proofs/module.ts'
import { module as sessions } from './modules/sessions/module.ts'
import { module as throttle } from './modules/throttle/module.ts'
import { module as tokens } from './modules/tokens/module.ts'
import { module as totp } from './modules/totp/module.ts'
import { module as users } from './modules/users/module.ts'

/**
 * The modules of this service, in order: each imports only modules before it. The order is also the
 * order of the tables in a copy, of the schemes that authenticate, and of the subscribers of a hook.
 */
export const modules: readonly Module[] = [
  core,
  // What the contract asks for.
  keys,
  audit,
  idempotency,
  throttle,
  clients,
  authentication,
  users,
  passwords,
  accounts,
  flows,
  devices,
  factors,
  totp,
  passkeys,
  proofs,
  basic,
  sessions,
  tokens,
  federation,
  apiKeys,
  login,
  pages,
  posts,
  health,
  // Everything else: each line and its folder can be removed.
  ownAccount,
  profile,
  rememberedDevices,
  appPasswords,
  oneTimeTokens,
  mail,
  importExport,
  emailAddresses,
  recovery,
  signUp,
  emailSignIn,
  webhooks,
  forwardAuth,
  provider,
  clientRegistration,
  accountDetails,
  console,
  personalData,
  statistics,
  metrics,
  explain,
  apiReference,
  home,
  backup,
  doctor,
  status,
  tracing,
  verify,
]
