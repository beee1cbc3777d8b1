import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { LoginDeclined } from './session/ask-for-login.ts'
import { whileWatched } from './while-watched.ts'

/** What is read for a view: the last answer stays while the next one is on its way. */
export interface Load<Data> {
  readonly data: Data | null
  readonly problem: unknown
  readonly isLoading: boolean
  /** Reads once more. */
  reload(): void
  /** Shows other data at once, for example the answer of a change. */
  replace(data: Data): void
}

/**
 * Reads data whenever `key` changes, and gives up a request that is no longer wanted. `everyMs` reads
 * again by itself while a person is there.
 */
export function useLoad<Data>(
  key: string,
  read: (signal: AbortSignal) => Promise<Data>,
  { everyMs = 0 }: { readonly everyMs?: number } = {},
): Load<Data> {
  const [state, setState] = useState<Omit<Load<Data>, 'reload' | 'replace'>>({
    data: null,
    problem: null,
    isLoading: true,
  })
  const [count, setCount] = useState(0)
  const underWay = useRef<AbortController>(null)

  useEffect(() => {
    const giveUp = new AbortController()
    underWay.current = giveUp
    setState((before) => ({ ...before, isLoading: true }))
    // As a promise also where it throws at once, for example about what the address holds.
    new Promise<Data>((resolve) => resolve(read(giveUp.signal))).then(
      (data) => {
        if (!giveUp.signal.aborted) setState({ data, problem: null, isLoading: false })
      },
      (problem: unknown) => {
        if (giveUp.signal.aborted) return
        const wasDeclined = problem instanceof LoginDeclined
        setState(({ data }) => ({ data, problem: wasDeclined ? null : problem, isLoading: false }))
      },
    )
    return () => giveUp.abort()
    // `read` is made anew at each rendering; `key` tells whether it reads something else.
  }, [key, count])

  const { isLoading } = state
  const reload = useCallback(() => setCount((before) => before + 1), [])
  useEffect(() => {
    // The time runs from the last answer: an API that answers slowly is not asked twice.
    if (everyMs > 0 && !isLoading) return whileWatched(everyMs, reload)
  }, [everyMs, isLoading, count, reload])

  const replace = useCallback((data: Data) => {
    underWay.current?.abort() // it would show what was before
    setState({ data, problem: null, isLoading: false })
  }, [])
  return { ...state, reload, replace }
}
