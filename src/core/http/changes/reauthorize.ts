import type { FastifyRequest, onSendHookHandler } from 'fastify'
import type { DatabaseOrTransaction } from '../../database/database.ts'
import type { Guard } from '../../database/transactions.ts'
import type { ApiError, RefusalReason } from '../../errors.ts'
import { decide } from '../../policy/decide.ts'
import type { Principal } from '../../policy/principal.ts'
import { accessDenied } from './denied.ts'

/**
 * The reauthorization of the caller. The authorization comes before the body is read, and a body, a
 * batch or a hash can take long; an account, a session, a token or a role that ended meanwhile must
 * not change anything. So each change reauthorizes its caller in the transaction that commits it.
 */

/** An authenticated caller, with functions to authenticate it again later. */
export interface Authenticated {
  readonly principal: Principal
  /** The lock names that every change takes exclusively which can end the caller; see `Guard`. */
  lockNames(): readonly string[]
  /**
   * Reads the caller again by `db`, as `authenticate` would for the same credential, but without
   * login limits; null if the caller has ended. An automatic lockout ends no caller.
   */
  revalidate(db: DatabaseOrTransaction): Promise<Principal | null>
}

/** The guard of a request's changes. */
export interface Reauthorization extends Guard {
  /** Reauthorizes outside a transaction: after a body was read, or for a batch of a long answer. */
  now(): Promise<void>
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Null if no caller was authenticated. */
    guard: Reauthorization | null
    /** Set by the guard, to detect a change that does not use it. */
    isReauthorized: boolean
  }
}

/**
 * Answers the guard that reauthorizes the request's caller in the transaction of its change; undefined if
 * the route requires no caller. It refuses as a new request with the same credential would be.
 */
export function reauthorize({ guard }: FastifyRequest): Reauthorization | undefined {
  return guard ?? undefined
}

export interface GuardOptions {
  readonly db: DatabaseOrTransaction
  readonly caller: Authenticated
  /** Creates the 401 for a caller who has ended. */
  readonly ended: (reason: RefusalReason) => ApiError
}

/** The guard of a request whose caller was authenticated. */
export class RequestGuard implements Reauthorization {
  readonly #request: FastifyRequest
  readonly #options: GuardOptions

  constructor(request: FastifyRequest, options: GuardOptions) {
    this.#request = request
    this.#options = options
  }

  lockNames(): readonly string[] {
    return this.#options.caller.lockNames()
  }

  now(): Promise<void> {
    return authorize(this.#request, this.#options.db, this.#options)
  }

  async authorize(trx: DatabaseOrTransaction): Promise<void> {
    await authorize(this.#request, trx, this.#options)
    this.#request.isReauthorized = true
  }
}

async function authorize(
  request: FastifyRequest,
  db: DatabaseOrTransaction,
  { caller, ended }: GuardOptions,
): Promise<void> {
  const principal = await caller.revalidate(db)
  // The subject changes if the identity of a provider's token was linked to another account.
  if (principal?.subject !== caller.principal.subject) throw ended(reasonOfEnd(caller.principal))
  const resource = request.resource?.facts
  const rule = request.routeOptions.config.access?.rule
  const allowed = rule && decide(rule, principal, resource)
  // Without its facts some rules are undecided; handlers apply those rules themselves.
  if (resource ? allowed !== true : allowed === false) {
    throw accessDenied(rule, principal, resource ?? undefined)
  }
  request.principal = principal
}

function reasonOfEnd({ credential, subject }: Principal): RefusalReason {
  return { code: 'caller_ended', facts: { user_id: subject, scheme: credential.scheme } }
}

/** Asserts, after a changing handler, that it used the guard. @throws Error if it did not */
export const assertReauthorized: onSendHookHandler = (request, reply, payload, done) => {
  const { guard, isReauthorized, method } = request
  if (reply.statusCode < 400 && guard && !isReauthorized) {
    const { url } = request.routeOptions
    throw new Error(`${method} ${url} succeeded without judging its caller again`)
  }
  done(null, payload)
}
