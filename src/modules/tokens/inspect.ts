import type { Config } from '../../core/config/load.ts'
import type { Clock } from '../../core/lib/clock.ts'
import type { Accounts } from '../accounts/accounts.ts'
import type { Requirements } from '../authentication/requirements.ts'
import type { KeySet } from '../keys/key-set.ts'
import { parseObject, verifyJws } from './jws.ts'
import type { Revocations } from './revocations.ts'
import type { Rotation } from './rotation.ts'
import type { Tokens } from './tokens.ts'

export interface InspectDeps {
  readonly config: Pick<Config, 'token'>
  readonly clock: Clock
  readonly accounts: Pick<Accounts, 'byUserId'>
  readonly keys: Pick<KeySet, 'find'>
  readonly requirements: Pick<Requirements, 'unmet'>
  readonly revocations: Pick<Revocations, 'refuses' | 'refusesRefresh'>
  readonly rotation: Pick<Rotation, 'isSpent' | 'pairOf'>
  readonly tokens: Tokens
}

export interface Inspection {
  /** As written in the token; another program may have signed it. */
  readonly header: Readonly<Record<string, unknown>>
  readonly claims: Readonly<Record<string, unknown>>
  /** Whether a key of this service signed the token. */
  readonly signature: boolean
  readonly expired: boolean
  /** Null if signature, claims or lifetime already refuse the token. */
  readonly revoked: boolean | null
  /** Null for an accepted token. */
  readonly refusal: string | null
}

/** Null if the text is no JWS. */
export async function inspectToken(deps: InspectDeps, token: string): Promise<Inspection | null> {
  const [head = '', body = '', ...rest] = token.split('.')
  const header = parseObject(Buffer.from(head, 'base64url'))
  const claims = parseObject(Buffer.from(body, 'base64url'))
  if (!header || !claims || rest.length !== 1) return null
  const purpose = claims.type === 'refresh' ? 'refresh' : 'signing'
  const signature = (await verifyJws(token, (kid) => deps.keys.find(kid, purpose))) !== null
  const expired = typeof claims.exp === 'number' && deps.clock.now() >= claims.exp * 1000
  const revoked = await isRevoked(deps, token, claims.type)
  const found = { claims, signature, expired, revoked }
  return { header, ...found, refusal: refusalOf(found, deps) }
}

function refusalOf(
  { claims, signature, expired, revoked }: Omit<Inspection, 'header' | 'refusal'>,
  { clock, config }: Pick<InspectDeps, 'clock' | 'config'>,
): string | null {
  if (!signature) return 'no key of this service signed it'
  if (expired) return 'it has expired'
  if (revoked !== null) return revoked ? 'it was revoked, or its account may not log in' : null
  const { issuer, audience } = config.token
  if (claims.iss !== issuer) return `its iss is not ${issuer}: are these the service's settings?`
  if (claims.type !== 'refresh' && ![claims.aud].flat().includes(audience)) {
    return `its aud is not ${audience}`
  }
  const isEarly = [claims.nbf, claims.iat].some((time) => Number(time) * 1000 > clock.now())
  return isEarly ? 'its time has not come' : 'its claims are not those of a token of this service'
}

/** Null if signature, claims or lifetime already refuse the token. */
async function isRevoked(
  { accounts, config, requirements, revocations, rotation, tokens }: InspectDeps,
  token: string,
  type: unknown,
): Promise<boolean | null> {
  if (type !== 'refresh') {
    const claims = await tokens.verifyAccess(token, type === 'enrolment' ? type : 'access')
    return claims && revocations.refuses(claims)
  }
  const claims = await tokens.verifyRefresh(token)
  if (!claims) return null
  const account = await accounts.byUserId(Number(claims.sub))
  if (!account) return true
  const since = { now: account, before: { refreshVersion: claims.ver } }
  if (requirements.unmet('refresh', { account, since })) return true
  if (await revocations.refusesRefresh(claims)) return true
  if ((await rotation.pairOf(claims)).isEnded) return true
  return config.token.rotatesRefresh && rotation.isSpent(claims)
}
