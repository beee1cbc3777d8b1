import { useEffect } from 'preact/hooks'
import type { Load } from './use-load.ts'

/**
 * Reads again while something is under way and the page is visible: `afterMs` after each answer, so
 * that a slow answer is waited for.
 */
export function useReloadWhile(
  isUnderWay: boolean,
  { isLoading, reload }: Pick<Load<unknown>, 'isLoading' | 'reload'>,
  afterMs = 2000,
): void {
  useEffect(() => {
    if (!isUnderWay || isLoading) return
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') reload()
    }, afterMs)
    return () => clearInterval(timer)
  }, [isUnderWay, isLoading, reload, afterMs])
}
