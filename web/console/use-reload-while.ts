import { useEffect, useRef } from 'preact/hooks'
import type { Load } from './use-load.ts'

const afterMs = 2000
// Some minutes: a page that is left open must not keep its session alive for ever.
const mostTimes = 150

/**
 * Reads again while something is under way and the page is visible: two seconds after each answer, so
 * that a slow answer is waited for. It stops after some minutes, until `key` changes.
 */
export function useReloadWhile(
  isUnderWay: boolean,
  { isLoading, reload }: Pick<Load<unknown>, 'isLoading' | 'reload'>,
  key = '',
): void {
  const times = useRef(0)
  useEffect(() => {
    times.current = 0
  }, [isUnderWay, key])
  useEffect(() => {
    if (!isUnderWay || isLoading || times.current >= mostTimes) return
    const timer = setInterval(() => {
      if (document.visibilityState !== 'visible') return
      times.current += 1
      reload()
    }, afterMs)
    return () => clearInterval(timer)
  }, [isUnderWay, isLoading, reload, key])
}
