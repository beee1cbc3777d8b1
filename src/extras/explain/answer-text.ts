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

// A header, a payload and a signature; what verifies them says what is wrong with them.
const tokenFormat = /^[\w-]+\.[\w-]*\.[\w-]*$/
const maxNameLength = 1024

/**
 * Answers what was typed into one field: a token, the username or the verified address of an account,
 * or the id of a refused request. The id goes first: no caller chooses one, but a username that is
 * equal to one could hide the refusal.
 * @throws ApiError refusalNotFound if the text is none of them
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
