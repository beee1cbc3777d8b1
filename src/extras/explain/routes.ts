import { ApiError, refuseField } from '../../core/errors.ts'
import { fewFieldsBytes } from '../../core/http/bodies/bodies.ts'
import { reauthorize } from '../../core/http/changes/reauthorize.ts'
import { apiLanguage } from '../../core/http/pages/language.ts'
import { varyBy } from '../../core/http/pages/negotiation.ts'
import { callerOf } from '../../core/http/routes/access.ts'
import type { App, Static } from '../../core/http/schemas.ts'
import { canonicalUsername } from '../../core/lib/username.ts'
import type { Needs } from '../../core/module/services.ts'
import { role } from '../../core/policy/rules.ts'
import { answerText } from './answer-text.ts'
import { explainLogin, explainRefusal, explainRoute } from './explain.ts'
import { explainToken } from './explain-token.ts'
import { keepReasons } from './listen.ts'
import { parseRoute } from './match-route.ts'
import { refusalNotFound } from './problems.ts'
import { Answer, Question, RefusalBody, RefusalId } from './schemas.ts'

const access = { rule: role('ADMIN') }

/** The request changes nothing; POST because the body must not appear in a URL or log. */
export async function routes(app: App, options: Needs): Promise<void> {
  keepReasons(app, options)
  const { accounts, db } = options

  app.get(
    '/api/admin/explain/:id',
    {
      config: {
        access,
        params: RefusalId,
        requestHeaders: ['accept-language'],
        errors: [refusalNotFound],
      },
      schema: {
        operationId: 'explainRefusal',
        summary: 'Why a request was refused, by its X-Request-Id; kept for 24 hours',
        response: { 200: RefusalBody },
      },
    },
    async (request, reply) => {
      varyBy(reply, 'Accept-Language')
      const { id } = request.params as { id: string }
      const deps = { ...options, language: apiLanguage(request) }
      const refusal = await explainRefusal(deps, id, callerOf(request).subject)
      if (!refusal) throw new ApiError(refusalNotFound, { reason: { code: 'unknown_refusal' } })
      return refusal
    },
  )

  app.post(
    '/api/admin/explain',
    {
      config: {
        access,
        body: 'json',
        maxBodyBytes: fewFieldsBytes,
        requestHeaders: ['accept-language'],
        errors: ['accountNotFound', refusalNotFound],
      },
      schema: {
        operationId: 'explain',
        summary: 'Whether a token, a login, or an account at a route would be refused, and why',
        body: Question,
        response: { 200: Answer },
      },
    },
    async (request, reply) => {
      varyBy(reply, 'Accept-Language')
      const asked = parseQuestion(request.body)
      await reauthorize(request)?.authorize(db) // read-only, but the result is for ADMIN only
      const { subject: caller } = callerOf(request)
      const { routes } = request.server.declared
      const deps = { ...options, routes, language: apiLanguage(request) }
      if ('text' in asked) return answerText(deps, asked.text, caller)
      if ('token' in asked) return explainToken(deps, asked.token, caller)
      const username = canonicalUsername(asked.username)
      const account = username && (await accounts.byUsername(username))
      if (!account) {
        throw new ApiError('accountNotFound', { reason: { code: 'no_such_account' } })
      }
      return asked.wanted
        ? explainRoute(deps, account, asked.wanted, caller)
        : explainLogin(deps, account, caller)
    },
  )
}

function parseQuestion({ text, token, username, route }: Static<typeof Question>) {
  const others = [text, token, username ?? route].filter((field) => field !== undefined)
  if (text !== undefined) {
    if (others.length === 1) return { text }
    return refuseField(['text'], {
      en: 'stands alone: leave out token, username and route',
      de: 'steht allein: Lassen Sie token, username und route weg',
    })
  }
  if (token !== undefined) {
    if (others.length === 1) return { token }
    return refuseField(['token'], {
      en: 'stands alone: leave out username and route',
      de: 'steht allein: Lassen Sie username und route weg',
    })
  }
  if (username === undefined) {
    return refuseField(['token'], {
      en: 'is required, unless username and route are given',
      de: 'fehlt, wenn username und route nicht angegeben sind',
    })
  }
  if (route === undefined) return { username }
  const wanted = parseRoute(route)
  if (!wanted)
    return refuseField(['route'], {
      en: 'must be a method and a path, such as PUT /users/7',
      de: 'muss eine Methode und ein Pfad sein, etwa PUT /users/7',
    })
  return { username, wanted }
}
