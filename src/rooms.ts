import { room as accounts } from './accounts/room.ts'
import { room as audit } from './audit/room.ts'
import { room as authentication } from './authentication/room.ts'
import { room as backup } from './backup/room.ts'
import { room as basic } from './basic/room.ts'
import { room as clients } from './clients/room.ts'
import { room as confirmations } from './confirmations/room.ts'
import { room as console } from './console/room.ts'
import { room as docs } from './docs/room.ts'
import { room as doctor } from './doctor/room.ts'
import { room as emailLogin } from './email-login/room.ts'
import { room as emails } from './emails/room.ts'
import { room as explain } from './explain/room.ts'
import { room as federation } from './federation/room.ts'
import { room as flows } from './flows/room.ts'
import { room as forward } from './forward/room.ts'
import { room as health } from './health/room.ts'
import { room as home } from './home/room.ts'
import { room as idempotency } from './idempotency/room.ts'
import { room as keys } from './keys/room.ts'
import { room as login } from './login/room.ts'
import { room as mail } from './mail/room.ts'
import { room as metrics } from './metrics/room.ts'
import { room as pages } from './pages/room.ts'
import { room as passwords } from './passwords/room.ts'
import { room as person } from './person/room.ts'
import { room as posts } from './posts/room.ts'
import { room as proofs } from './proofs/room.ts'
import { room as recovery } from './recovery/room.ts'
import { room as registration } from './registration/room.ts'
import { floor } from './room/floor.ts'
import type { Room } from './room/room.ts'
import type { Wired } from './services.ts'
import { room as session } from './session/room.ts'
import { room as statistics } from './statistics/room.ts'
import { room as status } from './status/room.ts'
import { room as throttle } from './throttle/room.ts'
import { room as token } from './token/room.ts'
import { room as totp } from './totp/room.ts'
import { room as transfer } from './transfer/room.ts'
import { room as users } from './users/room.ts'
import { room as webhooks } from './webhooks/room.ts'

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
