import { floor } from './core/module/floor.ts'
import type { Room } from './core/module/room.ts'
import { room as docs } from './extras/api-reference/room.ts'
import { room as backup } from './extras/backup/room.ts'
import { room as console } from './extras/console/room.ts'
import { room as doctor } from './extras/doctor/room.ts'
import { room as emails } from './extras/email-addresses/room.ts'
import { room as emailLogin } from './extras/email-sign-in/room.ts'
import { room as explain } from './extras/explain/room.ts'
import { room as forward } from './extras/forward-auth/room.ts'
import { room as home } from './extras/home/room.ts'
import { room as transfer } from './extras/import-export/room.ts'
import { room as mail } from './extras/mail/room.ts'
import { room as metrics } from './extras/metrics/room.ts'
import { room as confirmations } from './extras/one-time-tokens/room.ts'
import { room as person } from './extras/personal-data/room.ts'
import { room as recovery } from './extras/recovery/room.ts'
import { room as registration } from './extras/sign-up/room.ts'
import { room as statistics } from './extras/statistics/room.ts'
import { room as status } from './extras/status/room.ts'
import { room as webhooks } from './extras/webhooks/room.ts'
import { room as accounts } from './modules/accounts/room.ts'
import { room as audit } from './modules/audit/room.ts'
import { room as authentication } from './modules/authentication/room.ts'
import { room as basic } from './modules/basic/room.ts'
import { room as clients } from './modules/clients/room.ts'
import { room as federation } from './modules/federation/room.ts'
import { room as flows } from './modules/flows/room.ts'
import { room as health } from './modules/health/room.ts'
import { room as idempotency } from './modules/idempotency/room.ts'
import { room as keys } from './modules/keys/room.ts'
import { room as login } from './modules/login/room.ts'
import { room as pages } from './modules/pages/room.ts'
import { room as passwords } from './modules/passwords/room.ts'
import { room as posts } from './modules/posts/room.ts'
import { room as proofs } from './modules/proofs/room.ts'
import { room as session } from './modules/sessions/room.ts'
import { room as throttle } from './modules/throttle/room.ts'
import { room as token } from './modules/tokens/room.ts'
import { room as totp } from './modules/totp/room.ts'
import { room as users } from './modules/users/room.ts'
import type { Wired } from './services.ts'

/**
 * The rooms of this service; each may import those before it, and the floor. Their order is that of the
 * tables of a copy, of the schemes that are asked, and of what follows the end of an account.
 */
export const rooms: readonly Room<Wired>[] = [
  floor,
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
  confirmations,
  mail,
  totp,
  proofs,
  basic,
  session,
  token,
  transfer,
  federation,
  login,
  emails,
  recovery,
  registration,
  emailLogin,
  webhooks,
  forward,
  pages,
  console,
  posts,
  person,
  health,
  home,
  statistics,
  metrics,
  explain,
  docs,
  backup,
  doctor,
  status,
]
