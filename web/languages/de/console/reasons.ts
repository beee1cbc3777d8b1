import { access } from './reasons/access.ts'
import { credentials } from './reasons/credentials.ts'
import { forward } from './reasons/forward.ts'
import { logins } from './reasons/logins.ts'
import { requests } from './reasons/requests.ts'
import { service } from './reasons/service.ts'

/** The reasons of refusals by their codes; in English the API says them. src/core/reasons/reasons.ts */
export const reasons: Readonly<Record<string, string>> = {
  ...requests,
  ...credentials,
  ...logins,
  ...access,
  ...forward,
  ...service,
}
