import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../config/load.ts'
import type { Database } from '../../database/database.ts'
import { ApiError } from '../../kernel/errors.ts'
import type { Principal } from '../../kernel/principal.ts'
import { type Authenticated, guardOf } from '../changes/still-allowed.ts'
import { assertNotForged } from './csrf.ts'
import { type Authenticator, isSafe } from './declaration.ts'

/** The dependencies of authentication. */
export interface IdentifyDeps {
  readonly config: Pick<Config, 'http'>
  readonly db: Database
}

/**
 * Authenticates a request by the accepted schemes, and sets `request.principal` and its guard.
 * @throws ApiError if no accepted credential is valid
 */
export async function identify(
  request: FastifyRequest,
  reply: FastifyReply,
  accepted: readonly Authenticator[],
  { config, db }: IdentifyDeps,
): Promise<Principal> {
  const found = await authenticate(request, reply, accepted)
  if (found === null) throw challenged(request, reply, accepted)
  const { authenticator, caller, ended } = found
  request.principal = caller.principal
  request.guard = guardOf(request, { caller, ended, db })
  request.awaitsBody = !request.raw.complete // a body that has arrived needs no second judgement
  if (!isSafe(request.method)) assertNotForged(request, request.principal, authenticator, config)
  return caller.principal
}

/** An authenticated caller, and its authenticator. */
interface Identified {
  readonly authenticator: Authenticator
  readonly caller: Authenticated
  readonly ended: () => ApiError
}

async function authenticate(
  request: FastifyRequest,
  reply: FastifyReply,
  accepted: readonly Authenticator[],
): Promise<Identified | null> {
  // Only the Authorization header of a request counts, if it has one.
  const byHeader =
    request.headers.authorization !== undefined && accepted.some(({ header }) => header !== null)
  for (const authenticator of accepted) {
    if (byHeader && authenticator.header === null) continue
    const refused = (cause?: unknown): ApiError => {
      if (authenticator.header !== 'bearer') return challenged(request, reply, accepted)
      reply.header('www-authenticate', `${authenticator.challenge}, error="invalid_token"`)
      const isAlone = accepted.length === 1 && authenticator.invalid
      return new ApiError(isAlone || 'invalidOrExpiredToken', { cause })
    }
    try {
      const answer = authenticator.authenticate(request)
      const caller = answer !== null && 'then' in answer ? await answer : answer
      if (caller !== null) return { authenticator, caller, ended: refused }
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) throw error
      throw refused(error.cause)
    }
  }
  return null
}

/** Creates the 401 for a caller without a credential, with all challenges of the route. */
function challenged(
  request: FastifyRequest,
  reply: FastifyReply,
  accepted: readonly Authenticator[],
): ApiError {
  const challenges = accepted
    .filter(({ header }) => header !== 'basic' || !isOwnFetch(request))
    .flatMap(({ challenge }) => challenge ?? [])
  const [first, ...more] = challenges
  if (first) reply.header('www-authenticate', more.length === 0 ? first : challenges)
  const [only, ...others] = accepted
  return new ApiError(only && others.length === 0 ? only.missing : 'authenticationRequired')
}

/** Whether a script's fetch sent this: a Basic challenge makes the browser ask for a password. */
function isOwnFetch({ headers }: FastifyRequest): boolean {
  return headers['sec-fetch-site'] !== undefined && headers['sec-fetch-mode'] !== 'navigate'
}
