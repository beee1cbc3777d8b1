import type { ComponentChildren } from 'preact'
import { DefinitionList } from '../../../components/data.tsx'
import { useCommon } from '../../../context.ts'
import { AccountLink } from '../../components/account-link.tsx'
import { Mark } from '../../components/mark.tsx'
import { Time } from '../../components/time.tsx'
import type { Explanation } from './answered.tsx'
import { Remedies } from './remedies.tsx'
import { whyTexts } from './texts.ts'
import { Timeline } from './timeline.tsx'

const isTime = /(?:_at|^until)$/
const isSeconds = /seconds(?:_ago)?$/

/** The value of a fact, as a time, a length of time, a list or a text. docs/explain.md */
export function FactValue({ name, value }: { readonly name: string; readonly value: unknown }) {
  const t = whyTexts.use()
  const { inWords } = useCommon()
  if (typeof value === 'string' && isTime.test(name)) return <Time at={value} />
  if (typeof value === 'number' && isSeconds.test(name)) return inWords(value)
  if (Array.isArray(value)) return value.length > 0 ? value.map(String).join(', ') : t.nothing
  if (value === null) return t.nothing
  return <bdi>{typeof value === 'object' ? JSON.stringify(value) : String(value)}</bdi>
}

interface Props {
  readonly answer: Explanation
  /** Asks once more. */
  readonly again: () => void
  /** How often it was asked again: what happened since is read then. */
  readonly count: number
}

type Row = readonly [term: string, value: ComponentChildren]

/** Why, about what, what remedies it, what was checked, and what happened around it. */
export function Answer({ answer, again, count }: Props) {
  const t = whyTexts.use()
  const { checks, code, explanation, passes, refusal, username, subject } = answer
  const outcome = passes ? t.outcome.passes : refusal ? t.outcome.refused : t.outcome.wouldBe
  const facts = Object.entries(answer.facts).filter(([name]) => name !== 'user_id')
  return (
    <>
      <section class={`why-verdict ${passes ? 'good' : 'bad'}`} aria-live="polite">
        <p class="why-outcome">{outcome}</p>
        <p class="why-words">{t.reasons[code ?? ''] ?? explanation}</p>
      </section>
      <div class="why-columns">
        <section>
          <h2>{t.mendTitle}</h2>
          <Remedies answer={answer} again={again} />
        </section>
        <section>
          <h2>{t.aboutTitle}</h2>
          <DefinitionList rows={rowsOf(answer, t)} />
          {facts.length > 0 && (
            <>
              <h3>{t.factsTitle}</h3>
              <DefinitionList
                rows={facts.map(([name, value]) => [
                  t.facts[name] ?? name,
                  <FactValue key={name} name={name} value={value} />,
                ])}
              />
            </>
          )}
        </section>
      </div>
      {checks.length > 0 && (
        <section>
          <h2>{t.checksTitle}</h2>
          <ol class="why-checks">
            {checks.map((check, index) => (
              <li key={index}>
                <Mark tone={check.passes ? 'good' : 'bad'}>
                  {check.passes ? t.checkPasses : t.checkRefuses}
                </Mark>{' '}
                {check.asks}
                {check.explanation !== null && (
                  <p class="hint">{t.reasons[check.code ?? ''] ?? check.explanation}</p>
                )}
              </li>
            ))}
          </ol>
        </section>
      )}
      <Timeline subject={subject} username={username} refusal={refusal} count={count} />
    </>
  )
}

function rowsOf(answer: Explanation, t: ReturnType<typeof whyTexts.use>): Row[] {
  const { code, error, of, refusal, rule, route, status, subject, username } = answer
  const account = username === null ? (subject ?? t.noAccountRow) : <AccountLink name={username} />
  return [
    [t.rows.about, t.of[of] ?? of],
    [t.rows.account, account],
    ...(refusal ? ofRefusal(refusal, t) : route === null ? [] : [[t.rows.request, route] as const]),
    ...(status === null ? [] : [[t.rows.answer, `${status} ${error ?? ''}`] as const]),
    ...(rule === null ? [] : [[t.rows.rule, rule] as const]),
    ...(code === null ? [] : [[t.rows.code, <code key="code">{code}</code>] as const]),
  ]
}

function ofRefusal(
  refusal: NonNullable<Explanation['refusal']>,
  t: ReturnType<typeof whyTexts.use>,
) {
  const { address, at, id, method, route, scheme } = refusal
  const audit = new URLSearchParams({ address })
  const rows: Row[] = [
    [t.rows.at, <Time key="at" at={at} />],
    [t.rows.request, `${method} ${route ?? ''}`],
    [
      t.rows.address,
      <a key="address" href={`/admin/audit?${audit}`}>
        {address}
      </a>,
    ],
    [t.rows.id, <code key="id">{id}</code>],
  ]
  return scheme === null ? rows : [...rows, [t.rows.scheme, scheme] as const]
}
