import type { AccountDone, AccountProblem } from '../../../src/extras/own-account/pages/views.ts'
import { factorParts } from '../../components/factor-fields.tsx'
import { Field } from '../../components/field.tsx'
import { Notice, Problem } from '../../components/messages.tsx'
import { useTexts } from '../../context.ts'
import type { Texts } from '../../languages/languages.ts'
import type { AccountWords } from './part.ts'
import { parts } from './parts.ts'

/** What was done, or what was wrong, at the head of a page of the account. */
export function Outcome({
  done,
  problem,
}: {
  readonly done: AccountDone | null
  readonly problem: AccountProblem | null
}) {
  const texts = useTexts()
  if (problem) {
    const { field } = problem
    return (
      <Problem {...(field !== null && { fields: [{ name: field, text: textOf(problem, texts) }] })}>
        {field === null ? <p>{textOf(problem, texts)}</p> : null}
      </Problem>
    )
  }
  return done && <Notice>{<p>{wordsOf(texts).done[done]}</p>}</Notice>
}

/** What is wrong with a field, if it is this one. */
export function problemAt(
  problem: AccountProblem | null,
  name: string,
  texts: Texts,
): string | null {
  return problem?.field === name ? textOf(problem, texts) : null
}

function textOf({ code, password, seconds }: AccountProblem, texts: Texts): string {
  if (password) return texts.passwordProblem(password)
  const text = wordsOf(texts).problems[code] ?? code
  return seconds ? `${text} ${texts.common.tryAgainIn(seconds)}` : text
}

/** The words of all parts: each part has the words of its own pages. */
export function wordsOf(texts: Texts): AccountWords {
  const all = parts.flatMap(({ words }) => words?.(texts) ?? [])
  const changes: AccountWords['changes'] = Object.assign({}, ...all.map((words) => words.changes))
  const done: AccountWords['done'] = Object.assign({}, ...all.map((words) => words.done))
  const problems: AccountWords['problems'] = Object.assign(
    {},
    ...all.map((words) => words.problems),
  )
  return { changes, done, problems }
}

/** Asks for the proof of a factor, or a recovery code in its place. */
export function ProofFields({
  problem,
  kinds,
}: {
  readonly problem: AccountProblem | null
  readonly kinds: readonly string[]
}) {
  const texts = useTexts()
  const { common, federation } = texts
  const parts = factorParts(kinds)
  const recoveryCode = (
    <Field
      name="recovery_code"
      label={federation.secondFactor.recoveryCode}
      hint={common.recoveryCodeHint}
      autocomplete="off"
      isOptional={parts.length > 0}
    />
  )
  return (
    <>
      {parts.map(({ kind, Proof }) => (
        <Proof
          key={kind}
          problem={problemAt(problem, kind, texts)}
          hasFocus={problem?.field === kind}
        />
      ))}
      {parts.length === 0 ? (
        recoveryCode
      ) : (
        // After a mistake, either field may hold it.
        <details open={problem !== null}>
          <summary>{federation.secondFactor.lostPhone}</summary>
          {recoveryCode}
        </details>
      )}
    </>
  )
}

/** The way back to the overview. */
export function Back() {
  return (
    <p>
      <a href="/account">{useTexts().account.toOverview}</a>
    </p>
  )
}
