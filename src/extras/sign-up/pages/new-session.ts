import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Random } from '../../../core/crypto/random.ts'
import { clientAddress } from '../../../core/http/limits/client-address.ts'
import { byChosenPassword } from '../../../modules/accounts/password-method.ts'
import type { Account } from '../../../modules/authentication/account.ts'
import { ofBrowser } from '../../../modules/devices/device-cookie.ts'
import type { PageFlows } from '../../../modules/flows/flows.ts'
import { browserOf } from '../../../modules/flows/requests.ts'
import { passTowards, type SignInData } from '../../../modules/flows/sign-in-flow.ts'
import {
  createSignInPipeline,
  orNextStep,
  type PipelineDeps,
} from '../../../modules/pages/sign-in/pipeline.ts'
import { type BrowserSessionDeps, sessionResult } from '../../../modules/sessions/browser.ts'

export interface NewSessionDeps extends BrowserSessionDeps, Omit<PipelineDeps, 'pageFlows'> {
  readonly pageFlows: PageFlows
  readonly random: Random
}

/** Where a new owner goes who came from nowhere. */
export const ownAccount = '/account'
const flowSeconds = 1800

/**
 * Signs the owner of a new account in, in the browser that has just sent its password. If a
 * requirement asks for more, such as a second factor, a sign-in goes on at that step. Answers where
 * the browser goes.
 */
export async function signInNewOwner(
  deps: NewSessionDeps,
  account: Account,
  request: FastifyRequest,
  reply: FastifyReply,
  returnTo: string,
): Promise<string> {
  const { clock, completion, pageFlows, random, requirements } = deps
  const result = ofBrowser(sessionResult(deps, request, reply), request, reply, random)
  const evidence = byChosenPassword(account, clock.now())
  const passed = passTowards(returnTo, requirements.pass('login', evidence), evidence)
  if (typeof passed !== 'string') {
    await completion.complete(passed, null, result)
    return returnTo
  }
  const beginning = {
    purpose: 'page_sign_in',
    step: 'password',
    data: { column: 'login', proven: null, again: null },
    returnTo,
    seconds: flowSeconds,
    language: account.language,
  } as const
  const flow = pageFlows.open<SignInData>(beginning, browserOf(request, reply, random))
  const by = { address: clientAddress(request), result }
  const next = await orNextStep(() => createSignInPipeline(deps).proved(flow, evidence, null, by))
  return next ? `/signin?flow=${next.id}` : returnTo
}
