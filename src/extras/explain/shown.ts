import { type ErrorRow, problemOf, type RefusalReason } from '../../core/errors.ts'
import type { Events } from '../../core/events/events.ts'
import type { Static } from '../../core/http/schemas.ts'
import type { Language, Words } from '../../core/lib/languages.ts'
import type { ModuleNames } from '../../core/module/module.ts'
import type { LookUpReason } from '../../core/module/reasons.ts'
import type { Remedy } from '../../core/reasons/types.ts'
import type { Accounts } from '../../modules/accounts/accounts.ts'
import type { KeyJudge } from '../../modules/api-keys/judge.ts'
import type { ExternalBearer } from '../../modules/federation/authenticator.ts'
import { userIdIn } from '../../modules/tokens/claim-faults.ts'
import type { JudgeTokenDeps } from '../../modules/tokens/judge-token.ts'
import type { OtherTokens } from '../../modules/tokens/other-tokens.ts'
import { showReason } from './explanations.ts'
import type { JudgeRouteDeps } from './judge-route.ts'
import type { Refusals } from './refusals.ts'
import type { RemediesDeps } from './remedies.ts'
import type { Answer, RefusalBody } from './schemas.ts'
/**
 * Explains past refusals, and refusals that a token or account would meet now. Read-only, but each
 * explanation is an event.
 */
export interface ExplainDeps extends JudgeTokenDeps {
  readonly accounts: Accounts
  readonly canSendReset: RemediesDeps['canSendReset']
  readonly events: Pick<Events, 'emit'>
  readonly externalBearer: Pick<ExternalBearer, 'judge'>
  /** Of the texts for people. */
  readonly language: Language
  readonly keyJudge: Pick<KeyJudge, 'judge'>
  readonly lookUpReason: LookUpReason
  readonly modules: readonly ModuleNames[]
  readonly otherTokens: () => readonly Pick<OtherTokens, 'explain'>[]
  readonly refusals: Pick<Refusals, 'find'>
  readonly requirements: JudgeRouteDeps['requirements'] & RemediesDeps['requirements']
  readonly throttle: RemediesDeps['throttle']
}

/** The subject of the administrator; null on the command line. */
export type Caller = string | null

export type RefusalShown = Static<typeof RefusalBody>
export type AnswerShown = Static<typeof Answer>

/** `mends`: the name before 0.13.0, kept until 1.0. */
export function asRemedies(remedies: Remedy[]) {
  return { remedies, mends: remedies }
}

export async function accountOf(subject: string | null, { accounts }: ExplainDeps) {
  const userId = userIdIn(subject)
  return userId === null ? null : accounts.byUserId(userId)
}

export async function shownRefusal(row: ErrorRow, reason: RefusalReason, deps: ExplainDeps) {
  const { error, status } = problemOf(row)
  return { status, error, ...(await showReason(reason, deps)) }
}

export function passed(words: Words, { language }: Pick<ExplainDeps, 'language'>) {
  const explanation = words[language]
  return { status: null, error: null, code: null, guard: null, explanation, facts: {} }
}
