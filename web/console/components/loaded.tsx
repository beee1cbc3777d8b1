import type { ComponentChildren } from 'preact'
import { Notice } from '../../components/messages.tsx'
import { frameTexts } from '../frame-texts.ts'
import { wordsOf } from '../problem-words.ts'
import type { Load } from '../use-load.ts'

interface Props<Data> {
  readonly from: Load<Data>
  readonly children: (data: Data) => ComponentChildren
}

/** Shows what was read; while it is on its way, or could not be read, says so above the last answer. */
export function Loaded<Data>({ from, children }: Props<Data>) {
  const t = frameTexts.use()
  const { data, problem, isLoading, reload } = from
  return (
    <div aria-busy={isLoading}>
      {problem !== null && <LoadFailed problem={problem} retry={reload} />}
      {data !== null ? children(data) : isLoading && <p class="muted">{t.loading}</p>}
    </div>
  )
}

/** What could not be read, why, and what to do. */
export function LoadFailed({
  problem,
  retry,
}: {
  readonly problem: unknown
  readonly retry: () => void
}) {
  const t = frameTexts.use()
  return (
    <div role="alert">
      <Notice kind="warning">
        <p>{wordsOf(problem, t)}</p>
        <button type="button" class="quiet small" onClick={retry}>
          {t.common.tryAgain}
        </button>
      </Notice>
    </div>
  )
}
