import type { FastifyRequest, onSendHookHandler } from 'fastify'
import type { DatabaseOrTransaction } from '../../database/database.ts'
import type { Guard } from '../../database/transactions.ts'
import type { ApiError, RefusalReason } from '../../errors.ts'
import { decide } from '../../policy/decide.ts'
import type { Principal } from '../../policy/principal.ts'
import { accessDenied } from './denied.ts'

/**
 * The account, session, token or role may end between authorization and commit (slow body, batch,
 * hash), so each change reauthorizes its caller in the committing transaction.
 */

export interface Authenticated {
  readonly principal: Principal
  /** Locks that every change which can end the caller takes exclusively; see `Guard`. */
  lockNames(): readonly string[]
  /**
   * Reads the caller again, without login limits; null if ended. An automatic lockout ends no
   * caller.
   */
  revalidate(db: DatabaseOrTransaction): Promise<Principal | null>
}

export interface Reauthorization extends Guard {
  /** Outside a transaction: after a body, or between batches of a long response. */
  now(): Promise<void>
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Null without an authenticated caller. */
    guard: Reauthorization | null
    /** Set by the guard, to detect changes without a guard. */
    isReauthorized: boolean
  }
}

/**
 * Undefined if the route requires no caller. Rejects like a new request with the same credential.
 */
export function reauthorize({ guard }: FastifyRequest): Reauthorization | undefined {
  return guard ?? undefined
}

export interface GuardOptions {
  readonly db: DatabaseOrTransaction
  readonly caller: Authenticated
  /** Creates the 401 for an ended caller. */
  readonly ended: (reason: RefusalReason) => ApiError
}

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
  // The subject changes if a federated identity was linked to another account.
  if (principal?.subject !== caller.principal.subject) throw ended(reasonOfEnd(caller.principal))
  const resource = request.resource?.facts
  const rule = request.routeOptions.config.access?.rule
  const allowed = rule && decide(rule, principal, resource)
  // Rules that need facts of the resource are applied by handlers.
  if (resource ? allowed !== true : allowed === false) {
    throw accessDenied(rule, principal, resource ?? undefined)
  }
  request.principal = principal
}

function reasonOfEnd({ credential, subject }: Principal): RefusalReason {
  return { code: 'caller_ended', facts: { user_id: subject, scheme: credential.scheme } }
}

/** @throws Error if a changing handler did not use the guard */
export const assertReauthorized: onSendHookHandler = (request, reply, payload, done) => {
  const { guard, isReauthorized, method } = request
  if (reply.statusCode < 400 && guard && !isReauthorized) {
    const { url } = request.routeOptions
    throw new Error(`${method} ${url} succeeded without judging its caller again`)
  }
  done(null, payload)
}
