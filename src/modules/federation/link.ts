import type { FastifyReply, FastifyRequest } from 'fastify'
import { refuseField } from '../../core/errors.ts'
import { callerOf } from '../../core/http/routes/access.ts'
import type { Needs } from '../../core/module/services.ts'
import type { AccessClaims, ExternalClaims } from '../../core/policy/principal.ts'
import { ownAccount } from '../accounts/look-up.ts'
import type { ProofsInput } from '../authentication/proofs.ts'
import { parseReturnTo } from '../flows/return-to.ts'
import type { JudgedClaims } from '../tokens/revocations.ts'
import { flowCookie } from './cookie.ts'

/**
 * Returns the address to open. @throws ApiError validationFailed for an unknown provider,
 * accountNotFound, identityProvider, invalidCredentials; as `prove` of `Proofs`
 */
export async function beginLink(
  {
    accounts,
    flows,
    proofs,
    providers,
    random,
    redirectOrigins,
  }: Pick<Needs, 'accounts' | 'flows' | 'proofs' | 'providers' | 'random' | 'redirectOrigins'>,
  request: FastifyRequest,
  reply: FastifyReply,
  wanted: { readonly provider: string; readonly returnTo: unknown; readonly sent: ProofsInput },
): Promise<URL> {
  const account = await ownAccount(accounts, request)
  const provider = providers.named(wanted.provider)
  if (!provider?.config.client)
    return refuseField(['provider'], {
      en: 'is no provider to sign in by',
      de: 'ist kein Anbieter zum Anmelden',
    })
  const { sent } = wanted
  const guard = await proofs.prove(request, { account, change: 'identity', sent })
  const browser = flowCookie.valueOf(request, random)
  // Only pages may redirect to other origins.
  const origins = { ...redirectOrigins, includes: () => false }
  const returnTo = parseReturnTo(wanted.returnTo, { origins })
  const { credential } = callerOf(request)
  const sessionId = credential.scheme === 'session' ? credential.sessionId : null
  const token = 'claims' in credential ? tokenOf(credential.claims) : null
  const linker = { account, sessionId, token, guard }
  const url = await flows.begin(provider, { by: linker, browser, returnTo })
  flowCookie.set(reply, browser)
  return url
}

/** A provider's token has no version. */
function tokenOf(claims: AccessClaims | ExternalClaims): JudgedClaims {
  const { jti, sub, iat } = claims
  if (!('ver' in claims)) return { jti, sub, iat, ver: Number.MAX_SAFE_INTEGER }
  const { sid, ver } = claims
  return { jti, sub, iat, ver, ...(sid !== undefined && { sid }) }
}
