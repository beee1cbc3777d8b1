import { useCommon, useLanguage } from '../../../context.ts'
import { ApiProblem } from '../../api/problem.ts'
import { frameTexts } from '../../frame-texts.ts'
import type { Health } from '../../health.ts'
import { wordsOf } from '../../problem-words.ts'
import type { Load } from '../../use-load.ts'
import { verdictOf } from './health.ts'
import type { Status } from './read.ts'
import { missingOf } from './step-states.ts'
import { overviewTexts } from './texts.ts'
import type { Steps } from './use-steps.ts'

interface Props {
  readonly health: readonly Health[]
  readonly status: Load<Status>
  readonly steps: Steps['states']
}

/**
 * The one sentence that is read first: all is well, or what needs attention. A first step that
 * protects the installation needs attention until it is done or dismissed.
 */
export function Verdict({ health, status, steps }: Props) {
  const t = overviewTexts.use()
  const language = useLanguage()
  const { data, problem, reload } = status
  if (problem !== null) return <Silent problem={problem} retry={reload} />
  if (!data) return <p class="verdict">{t.verdict.waiting}</p>
  const found = verdictOf(health)
  const isDown = data.readiness?.ready === false
  const missing = steps && found.level !== 'bad' ? missingOf(steps) : []
  const troubled = [
    ...found.troubled.map(({ id, name, text }) => ({ id, name, text, href: `#works-${id}` })),
    ...missing.map(({ step: { href, id, words }, state }) => {
      const [name, hint] = words[language]
      const text = state === 'unknown' ? t.works.unknownReasons.fault : hint
      return { id: `step-${id}`, name, text, href }
    }),
  ]
  const level = found.level === 'good' && missing.length > 0 ? 'warning' : found.level
  const good = steps ? t.verdict.allWell : t.verdict.good
  return (
    <div class={`verdict ${level}`} role="status">
      <p>
        {isDown && `${t.verdict.down} `}
        {level === 'good' ? good : t.verdict[level](troubled.length)}
      </p>
      {troubled.length > 0 && (
        <ul>
          {troubled.map(({ href, id, name, text }) => (
            <li key={id}>
              <a href={href}>{name}</a>: {text}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

function Silent({ problem, retry }: { readonly problem: unknown; readonly retry: () => void }) {
  const t = overviewTexts.use()
  const frame = frameTexts.use()
  const common = useCommon()
  const isSilent = problem instanceof ApiProblem && (problem.status === 0 || problem.status === 503)
  return (
    <div class="verdict bad" role="alert">
      <p>{isSilent ? t.verdict.silent : wordsOf(problem, frame)}</p>
      {isSilent && <p class="hint">{t.verdict.silentHint}</p>}
      <button type="button" class="quiet small" onClick={retry}>
        {common.tryAgain}
      </button>
    </div>
  )
}
