import type { FastifyReply, FastifyRequest } from 'fastify'
import { clientAddress } from '../../../core/http/limits/client-address.ts'
import type { Needs } from '../../../core/module/services.ts'
import { byChosenPassword } from '../../../modules/accounts/password-method.ts'
import type { Account } from '../../../modules/authentication/account.ts'
import { ofBrowser } from '../../../modules/devices/device-cookie.ts'
import { browserOf } from '../../../modules/flows/requests.ts'
import { passTowards, type SignInData } from '../../../modules/flows/sign-in-flow.ts'
import { createSignInPipeline } from '../../../modules/pages/sign-in/pipeline.ts'
import { sessionResult } from '../../../modules/sessions/browser.ts'

/** Default target of a new owner. */
export const ownAccount = '/account'
const flowSeconds = 1800

/**
 * Signs the owner of a new account in. If a requirement remains, such as a second factor, the
 * sign-in continues there. Returns the target of the redirect.
 */
export async function signInNewOwner(
  deps: Needs,
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
  const next = await createSignInPipeline(deps).proceed(flow, evidence, null, by)
  return next ? `/signin?flow=${next.id}` : returnTo
}
