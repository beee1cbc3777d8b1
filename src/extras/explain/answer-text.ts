import { parseEmail } from '../../core/addresses/email.ts'
import { ApiError } from '../../core/errors.ts'
import { canonicalUsername } from '../../core/lib/username.ts'
import {
  type AnswerShown,
  asAnswer,
  type Caller,
  type ExplainDeps,
  explainLogin,
  explainRefusal,
  explainToken,
} from './explain.ts'
import type { JudgeRouteDeps } from './judge-route.ts'
import { refusalNotFound } from './problems.ts'

// Three parts; verification reports what is wrong.
const tokenFormat = /^[\w-]+\.[\w-]*\.[\w-]*$/
const maxNameLength = 1024

/**
 * The text is a token, a username, a verified address or a request id. Request ids go first: no
 * caller can choose an id, but a username equal to an id could hide the refusal. @throws ApiError
 * refusalNotFound
 */
export async function answerText(
  deps: ExplainDeps & JudgeRouteDeps,
  text: string,
  caller: Caller,
): Promise<AnswerShown> {
  const typed = text.trim()
  const refusal = await explainRefusal(deps, typed, caller)
  if (refusal) return asAnswer(refusal)
  const account = typed.length > maxNameLength ? null : await accountNamed(typed)
  if (account) return explainLogin(deps, account, caller)
  if (tokenFormat.test(typed)) return explainToken(deps, typed, caller)
  throw new ApiError(refusalNotFound, { reason: { code: 'unknown_refusal' } })

  async function accountNamed(name: string) {
    const username = canonicalUsername(name)
    const named = username && (await deps.accounts.byUsername(username))
    const email = named ? null : parseEmail(name)
    return named ?? (email && deps.accounts.byEmail(email.key))
  }
}
