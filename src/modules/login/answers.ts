import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Needs } from '../../core/module/services.ts'
import type { Result } from '../authentication/completion.ts'
import { type BrowserSessionDeps, sessionResult } from '../sessions/browser.ts'
import { pairResult, type TokenResultDeps, tokenResult } from '../tokens/results.ts'
import type { LoginMode } from './settings.ts'

export type LoginAnswersDeps = BrowserSessionDeps & TokenResultDeps & Pick<Needs, 'config'>

export type RunLogin = <Issued, Answer>(result: Result<Issued, Answer>) => Promise<Answer>

/** `session` sets the cookie; other modes return tokens. */
export async function answerLogin(
  deps: LoginAnswersDeps,
  mode: LoginMode,
  request: FastifyRequest,
  reply: FastifyReply,
  run: RunLogin,
): Promise<object> {
  const { config } = deps
  if (mode === 'session') {
    const csrfToken = await run(sessionResult(deps, request, reply))
    return { message: 'Logged in', csrf_token: csrfToken }
  }
  if (mode === 'token') {
    const token = await run(tokenResult(deps))
    return { token, token_type: 'Bearer', expires_in: config.token.singleSeconds }
  }
  const pair = await run(pairResult(deps))
  return {
    access_token: pair.accessToken,
    refresh_token: pair.refreshToken,
    token_type: 'Bearer',
    expires_in: config.token.accessSeconds,
  }
}
