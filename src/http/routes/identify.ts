import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../config/load.ts'
import type { Database } from '../../database/database.ts'
import { ApiError } from '../../kernel/errors.ts'
import type { Principal } from '../../kernel/principal.ts'
import { assertNotForged } from './csrf.ts'
import { type Authenticator, isSafe } from './declaration.ts'
import { type Authenticated, guardOf } from './still-allowed.ts'

/** What it takes to read credentials. */
export interface IdentifyDeps {
  readonly config: Pick<Config, 'http'>
  readonly db: Database
}

/**
 * Asks the accepted schemes who calls, and sets `request.principal` and its guard.
 * @throws ApiError where no accepted credential proves the caller
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
  const { principal } = caller
  request.principal = principal
  request.guard = guardOf(request, { caller, ended, db })
  request.awaitsBody = !request.raw.complete // what came with its header needs no second look
  if (!isSafe(request.method)) assertNotForged(request, principal, authenticator, config)
  return principal
}

/** A caller who has proved who it is, and by what. */
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
  // A request with an Authorization header is judged by that header alone.
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
      const caller = await authenticator.authenticate(request)
      if (caller !== null) return { authenticator, caller, ended: refused }
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) throw error
      throw refused(error.cause)
    }
  }
  return null
}

/** The 401 for a caller without a credential, with every challenge that the route accepts. */
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

/** A script's fetch: the Basic challenge would make the browser ask for a password by itself. */
function isOwnFetch({ headers }: FastifyRequest): boolean {
  return headers['sec-fetch-site'] !== undefined && headers['sec-fetch-mode'] !== 'navigate'
}
