import { useCommon } from '../../../context.ts'
import { ApiProblem } from '../../api/problem.ts'
import { frameTexts } from '../../frame-texts.ts'
import type { Health } from '../../health.ts'
import { wordsOf } from '../../problem-words.ts'
import type { Load } from '../../use-load.ts'
import { verdictOf } from './health.ts'
import type { Status } from './read.ts'
import { overviewTexts } from './texts.ts'

interface Props {
  readonly health: readonly Health[]
  readonly status: Load<Status>
}

/** The one sentence that is read first: all is well, or what is not. */
export function Verdict({ health, status }: Props) {
  const t = overviewTexts.use()
  const { data, problem, reload } = status
  if (problem !== null) return <Silent problem={problem} retry={reload} />
  if (!data) return <p class="verdict">{t.verdict.waiting}</p>
  const { level, troubled } = verdictOf(health)
  const isDown = data.readiness?.ready === false
  return (
    <div class={`verdict ${level}`} role="status">
      <p>
        {isDown && `${t.verdict.down} `}
        {level === 'good' ? t.verdict.good : t.verdict[level](troubled.length)}
      </p>
      {troubled.length > 0 && (
        <ul>
          {troubled.map(({ id, name, text }) => (
            <li key={id}>
              <a href={`#works-${id}`}>{name}</a>: {text}
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
