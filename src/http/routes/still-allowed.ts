import type { FastifyReply, FastifyRequest } from 'fastify'
import type { DatabaseOrTransaction } from '../../database/database.ts'
import type { Guard } from '../../database/transactions.ts'
import { ApiError } from '../../kernel/errors.ts'
import type { Principal } from '../../kernel/principal.ts'
import { decide } from '../../policy/decide.ts'

/**
 * The caller judged once more. A caller is authenticated before the body is read, and a body, a
 * batch or a hash may take its time: an account, a session, a token or a role that ended meanwhile
 * must change nothing. So each change judges its caller again inside the transaction that commits
 * it.
 */

/** A caller who has proved who it is, and how to tell later whether that still holds. */
export interface Authenticated {
  readonly principal: Principal
  /** What all that can end the caller changes alone; see `Guard`. */
  shared(): readonly string[]
  /**
   * The caller as it is by now, read by `db`, or null where it has ended: what `authenticate` would
   * find for the same credential, except limits of logins. An automatic lock ends nothing.
   */
  again(db: DatabaseOrTransaction): Promise<Principal | null>
}

/** The guard of a request's changes. */
export interface StillAllowed extends Guard {
  /** Judges outside any transaction: before a body is read, or for a batch of a long answer. */
  now(): Promise<void>
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Null where no caller was authenticated. */
    guard: StillAllowed | null
    /** Set by the guard, so that a change which forgot to ask it is caught. */
    isJudgedAgain: boolean
  }
}

/**
 * Judges the request's caller in the transaction that commits its change; undefined where the route
 * asks for no caller. Its refusals are those that the same request would meet if it came now.
 */
export function stillAllowed({ guard }: FastifyRequest): StillAllowed | undefined {
  return guard ?? undefined
}

export interface GuardOptions {
  readonly db: DatabaseOrTransaction
  readonly caller: Authenticated
  /** The 401 of a caller who has ended. */
  readonly ended: () => ApiError
}

/** The guard of a request whose caller has just been authenticated. */
export function guardOf(request: FastifyRequest, options: GuardOptions): StillAllowed {
  const { caller, db } = options
  return {
    shared: caller.shared,
    now: () => judge(request, db, options),
    async judge(trx) {
      await judge(request, trx, options)
      request.isJudgedAgain = true
    },
  }
}

async function judge(
  request: FastifyRequest,
  db: DatabaseOrTransaction,
  { caller, ended }: GuardOptions,
): Promise<void> {
  const principal = await caller.again(db)
  // Another subject is another caller: of a provider's token that is linked elsewhere by now.
  if (principal?.subject !== caller.principal.subject) throw ended()
  const resource = request.resource?.facts
  const rule = request.routeOptions.config.access?.rule
  const allowed = rule && decide(rule, principal, resource)
  // Without the resource some rules cannot tell yet: their handlers ask with it.
  if (resource ? allowed !== true : allowed === false) throw new ApiError('accessDenied')
  request.principal = principal
}

/** After a changing handler. @throws Error where it succeeded and did not ask the guard */
export async function assertJudgedAgain(
  { guard, isJudgedAgain, method, routeOptions }: FastifyRequest,
  { statusCode }: FastifyReply,
  payload: unknown,
): Promise<unknown> {
  if (statusCode < 400 && guard && !isJudgedAgain) {
    throw new Error(`${method} ${routeOptions.url} succeeded without judging its caller again`)
  }
  return payload
}
