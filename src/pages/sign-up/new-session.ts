import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Account } from '../../authentication/account.ts'
import type { Completion } from '../../authentication/completion.ts'
import type { Requirements } from '../../authentication/requirements.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Random } from '../../kernel/random.ts'
import { ofBrowser } from '../../mail/device-cookie.ts'
import { type BrowserSessionDeps, sessionResult } from '../../session/browser.ts'

export interface NewSessionDeps extends BrowserSessionDeps {
  readonly clock: Clock
  readonly completion: Completion
  readonly random: Random
  readonly requirements: Pick<Requirements, 'pass'>
}

/** Where a new owner goes on: to the own account, or to the sign-in if that asks for more. */
export const places = { signedIn: '/account', more: '/signup?done=1' } as const

/**
 * Signs the owner of a new account in, in the browser that has just sent its password, unless a
 * requirement asks for more than that. Answers where the browser goes on.
 */
export async function signInNewOwner(
  deps: NewSessionDeps,
  account: Account,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<string> {
  const { clock, completion, requirements } = deps
  const passed = requirements.pass('login', { account, amr: ['pwd'], authTime: clock.now() })
  if (typeof passed === 'string') return places.more
  const result = ofBrowser(sessionResult(deps, request, reply), request, reply, deps.random)
  await completion.complete(passed, null, result)
  return places.signedIn
}
