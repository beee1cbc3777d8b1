import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../config/load.ts'
import type { Database } from '../../database/database.ts'
import { ApiError, type ApiErrorOptions, type RefusalReason } from '../../errors.ts'
import type { Principal } from '../../policy/principal.ts'
import { absenceOf } from '../changes/absence.ts'
import { type Authenticated, RequestGuard } from '../changes/reauthorize.ts'
import { assertNotForged } from './csrf.ts'
import { type Authenticator, isSafe, type Named, onlyNamed } from './declaration.ts'
import { assertInScope } from './scopes.ts'

export interface IdentifyDeps {
  readonly config: Pick<Config, 'http'>
  readonly db: Database
}

/**
 * Sets `request.principal` and the guard.
 * @throws ApiError without a valid accepted credential, or for a key without the scope of the route
 */
export function identify(
  request: FastifyRequest,
  reply: FastifyReply,
  named: Named,
  deps: IdentifyDeps,
): Principal | Promise<Principal> {
  return tryFrom(0, { request, reply, named, accepted: named.accepted ?? [], deps })
}

/** As `identify`, by a credential in the body of the request. */
export async function identifyByBody(
  request: FastifyRequest,
  reply: FastifyReply,
  named: Named,
  deps: IdentifyDeps,
): Promise<Principal> {
  const accepted = named.accepted ?? []
  const asked = { request, reply, named, accepted, deps }
  for (const authenticator of accepted) {
    try {
      const caller = await authenticator.authenticateBody?.(request, reply)
      if (caller) return known(caller, authenticator, asked)
    } catch (error) {
      throw refusalOf(error, authenticator, asked)
    }
  }
  throw challenged(asked, absenceOf(request, accepted))
}

interface Input {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly named: Named
  readonly accepted: readonly Authenticator[]
  readonly deps: IdentifyDeps
}

function tryFrom(first: number, asked: Input): Principal | Promise<Principal> {
  const { request, accepted } = asked
  for (let index = first; index < accepted.length; index += 1) {
    const authenticator = accepted[index]
    if (!authenticator || (authenticator.header === null && isByHeader(asked))) continue
    const answer = answerOf(authenticator, asked)
    if (answer instanceof Promise) {
      return answer.then(
        (caller) =>
          caller ? knownByHeaders(caller, authenticator, asked) : tryFrom(index + 1, asked),
        (error: unknown) => {
          throw refusalOf(error, authenticator, asked)
        },
      )
    }
    if (answer !== null) return knownByHeaders(answer, authenticator, asked)
  }
  throw challenged(asked, absenceOf(request, accepted))
}

/** The Authorization header overrides other credentials. */
function isByHeader({ request, accepted }: Input): boolean {
  return (
    request.headers.authorization !== undefined && accepted.some(({ header }) => header !== null)
  )
}

function answerOf(authenticator: Authenticator, asked: Input) {
  try {
    return authenticator.authenticate(asked.request)
  } catch (error) {
    throw refusalOf(error, authenticator, asked)
  }
}

function known(caller: Authenticated, authenticator: Authenticator, asked: Input): Principal {
  const { request, deps } = asked
  const { principal } = caller
  const ended = (reason: RefusalReason) => refused(authenticator, asked, { reason })
  request.principal = principal
  request.guard = new RequestGuard(request, { caller, ended, db: deps.db })
  assertInScope(request, principal)
  request.awaitsBody = !request.raw.complete // complete bodies need no reauthorization
  return principal
}

function knownByHeaders(caller: Authenticated, authenticator: Authenticator, asked: Input) {
  const { request, deps } = asked
  const principal = known(caller, authenticator, asked)
  if (!isSafe(request.method)) assertNotForged(request, principal, authenticator, deps.config)
  return principal
}

function refusalOf(error: unknown, authenticator: Authenticator, asked: Input): unknown {
  const isRefused = error instanceof ApiError && error.status === 401
  return isRefused ? refused(authenticator, asked, error) : error
}

function refused(
  authenticator: Authenticator,
  asked: Input,
  { cause, reason }: Pick<ApiErrorOptions, 'cause' | 'reason'>,
): ApiError {
  const { challenge, invalid } = authenticator
  if (!invalid) return challenged(asked, reason)
  asked.reply.header('www-authenticate', `${challenge}, error="${invalid.parameter}"`)
  return new ApiError(onlyNamed(asked.named) ? invalid.alone : invalid.error, { cause, reason })
}

/** 401 with all challenges of the route. */
function challenged({ request, reply, named, accepted }: Input, reason: RefusalReason): ApiError {
  const challenges = accepted
    .filter(({ header }) => header !== 'basic' || !isOwnFetch(request))
    .flatMap(({ challenge }) => challenge ?? [])
  const [first, ...more] = challenges
  if (first) reply.header('www-authenticate', more.length === 0 ? first : challenges)
  return new ApiError(onlyNamed(named)?.missing ?? 'authenticationRequired', { reason })
}

/** A Basic challenge would make the browser prompt for a password. */
function isOwnFetch({ headers }: FastifyRequest): boolean {
  return headers['sec-fetch-site'] !== undefined && headers['sec-fetch-mode'] !== 'navigate'
}
