import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { ApiProblem } from '../api/problem.ts'
import { frameTexts } from '../frame-texts.ts'
import { wordsOf } from '../problem-words.ts'
import { LoginDeclined } from '../session/ask-for-login.ts'

interface Props {
  /** The text of the button. */
  readonly action: string
  /** Where it leads if nothing is done; or what to call; absent: the form stays. */
  readonly cancel?: string | (() => void)
  /** Sends what was typed; what it throws is said above the fields, and what was typed stays. */
  readonly onSubmit: () => Promise<void>
  /** The fields; `problemOf` says what the API found wrong with one, by its name or path. */
  readonly children: (problemOf: (field: string) => string | undefined) => ComponentChildren
}

/** A form whose answer comes from the API: it is sent once at a time. */
export function ActionForm({ action, cancel, onSubmit, children }: Props) {
  const t = frameTexts.use()
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<unknown>(null)

  async function submit(): Promise<void> {
    setBusy(true)
    setProblem(null)
    try {
      await onSubmit()
    } catch (error) {
      if (!(error instanceof LoginDeclined)) setProblem(error)
    } finally {
      setBusy(false)
    }
  }

  function problemOf(field: string): string | undefined {
    if (!(problem instanceof ApiProblem)) return undefined
    return problem.details.find(({ path }) => path[0] === field || path.join('.') === field)
      ?.message
  }
  return (
    <form
      aria-busy={isBusy}
      onSubmit={(event) => {
        event.preventDefault()
        if (!isBusy) void submit()
      }}
    >
      {problem !== null && (
        <p class="error" role="alert">
          {wordsOf(problem, t)}
        </p>
      )}
      {children(problemOf)}
      <div class="actions">
        <button type="submit" class={isBusy ? 'busy' : undefined} disabled={isBusy}>
          {action}
        </button>
        {typeof cancel === 'string' && (
          <a class="button quiet" href={cancel}>
            {t.common.cancel}
          </a>
        )}
        {typeof cancel === 'function' && (
          <button type="button" class="quiet" onClick={cancel}>
            {t.common.cancel}
          </button>
        )}
      </div>
    </form>
  )
}
