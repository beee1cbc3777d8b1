import type { FastifyReply, FastifyRequest } from 'fastify'
import { equalInConstantTime, keyedDigest } from '../../../core/crypto/digest.ts'
import type { ApiError } from '../../../core/errors.ts'
import { fewFieldsBytes, textIn } from '../../../core/http/bodies/bodies.ts'
import type { ErrorPage } from '../../../core/http/pages/page.ts'
import { refusalPage } from '../../../core/http/pages/refusal.ts'
import { sendView, viewPage } from '../../../core/http/pages/send-view.ts'
import type { Views } from '../../../core/http/pages/views.ts'
import { callerOf } from '../../../core/http/routes/access.ts'
import { isLanguage } from '../../../core/lib/languages.ts'
import type { Needs } from '../../../core/module/services.ts'
import { authenticated } from '../../../core/policy/rules.ts'
import { ownAccount } from '../../../modules/accounts/look-up.ts'
import type { Account } from '../../../modules/authentication/account.ts'
import type { ProofsInput } from '../../../modules/authentication/proofs.ts'
import { factorOfForm } from '../../../modules/factors/kinds.ts'
import type { AccountDone, AccountProblem } from './views.ts'

export interface Person {
  readonly account: Account
  readonly sessionId: string
  readonly csrf: string
}

/** Null if the form's page cannot show the error. */
export type ProblemOf = (error: ApiError) => AccountProblem | null

const refused = new WeakMap<FastifyRequest, ErrorPage>()
const access = { rule: authenticated, schemes: ['session'] as const }
const macLength = 16

export function accountPage(
  path: string,
  more: { reauthentication?: 'always'; isReturnTarget?: true } = {},
) {
  return {
    config: { access, answers: { 200: {} }, errorPage: errorPageOf(path), ...more },
    schema: { hide: true },
  } as const
}

/** Without a session or recent login, redirects to the sign-in and back to the form's page. */
export function accountForm(
  path: string,
  more: { reauthentication?: 'always'; enrols?: true; maxBodyBytes?: number } = {},
) {
  return {
    config: {
      access,
      csrf: 'field' as const,
      body: 'form' as const,
      maxBodyBytes: fewFieldsBytes,
      answers: { 303: {} },
      errorPage: errorPageOf(path),
      ...more,
    },
    schema: { hide: true },
  } as const
}

function errorPageOf(path: string): ErrorPage {
  return (error, request) => {
    // A redirect cannot resend a form.
    const returnTo = request.method === 'GET' ? request.url : path
    const signIn = `/signin?return_to=${encodeURIComponent(returnTo)}`
    if (error.row === 'authenticationRequired') return { location: signIn }
    if (error.row === 'recentLoginRequired') return { location: `${signIn}&again=1` }
    return refused.get(request)?.(error, request) ?? refusalPage(error, request, path)
  }
}

/** @throws ApiError accountNotFound */
export async function personOf({ accounts }: Needs, request: FastifyRequest): Promise<Person> {
  const { credential } = callerOf(request)
  if (credential.scheme !== 'session') throw new Error('pages of the account are for sessions')
  const { sessionId, csrfToken } = credential
  return {
    account: await ownAccount({ byUserId: accounts.byUserId }, request),
    sessionId,
    csrf: csrfToken,
  }
}

/** In the account's language. */
export function show<Page extends keyof Views>(
  reply: FastifyReply,
  request: FastifyRequest,
  person: Person,
  name: Page,
  view: Views[Page],
): Promise<FastifyReply> {
  return sendView(reply, request, name, view, optionsOf(person))
}

/** Shows errors on the form's page. */
export function showIfRefused<Page extends keyof Views>(
  request: FastifyRequest,
  person: Person,
  name: Page,
  { problemOf, view }: { problemOf: ProblemOf; view: (problem: AccountProblem) => Views[Page] },
): void {
  refused.set(request, (error, refusedRequest) => {
    const problem = problemOf(error)
    return problem
      ? viewPage(name, view(problem), optionsOf(person))
      : refusalPage(error, refusedRequest, '/account')
  })
}

function optionsOf({ account: { language, username } }: Person) {
  return { language: isLanguage(language) ? language : null, person: username }
}

export function common(
  request: FastifyRequest,
  { csrf }: Person,
  problem: AccountProblem | null = null,
) {
  return { csrf, problem, done: problem ? null : doneOf(request, csrf) }
}

/**
 * Redirects to a page with a success message, bound to this session: links of other sites show
 * nothing.
 */
export function goOn(
  reply: FastifyReply,
  { csrf }: Person,
  path: string,
  done: AccountDone,
): FastifyReply {
  return reply.redirect(`${path}?done=${done}.${macOf(csrf, done)}`, 303)
}

function doneOf(request: FastifyRequest, csrf: string): AccountDone | null {
  const { done } = request.query as { done?: unknown }
  if (typeof done !== 'string') return null
  const [name = '', mac] = done.split('.')
  return equalInConstantTime(mac, macOf(csrf, name)) ? (name as AccountDone) : null // by `goOn`
}

function macOf(csrf: string, done: string): string {
  return keyedDigest(Buffer.from(csrf), `done ${done}`).slice(0, macLength)
}

/** Empty if absent. */
export function field(request: FastifyRequest, name: string): string {
  return textIn(request.body, name)
}

export function proofsOfForm(
  { factorKinds }: Pick<Needs, 'factorKinds'>,
  request: FastifyRequest,
): ProofsInput {
  return {
    currentPassword: field(request, 'current_password'),
    factor: factorOfForm(factorKinds(), (name) => field(request, name)),
    captcha: field(request, 'captcha') || undefined,
  }
}

/** Undefined unless given once. */
export function parameter(request: FastifyRequest, name: string): string | undefined {
  const value = (request.query as Record<string, unknown>)[name]
  return typeof value === 'string' ? value : undefined
}
