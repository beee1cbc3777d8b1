import { parseEmail } from '../../core/addresses/email.ts'
import { ApiError } from '../../core/errors.ts'
import { canonicalUsername } from '../../core/lib/username.ts'
import { asAnswer, explainLogin, explainRefusal } from './explain.ts'
import { explainOther, explainToken, otherToken } from './explain-token.ts'
import type { JudgeRouteDeps } from './judge-route.ts'
import { refusalNotFound } from './problems.ts'
import type { AnswerShown, Caller, ExplainDeps } from './shown.ts'

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
  const other = await otherToken(deps, typed)
  if (other) return explainOther(deps, other, caller)
  throw new ApiError(refusalNotFound, { reason: { code: 'unknown_refusal' } })

  async function accountNamed(name: string) {
    const username = canonicalUsername(name)
    const named = username && (await deps.accounts.byUsername(username))
    const email = named ? null : parseEmail(name)
    return named ?? (email && deps.accounts.byEmail(email.key))
  }
}
