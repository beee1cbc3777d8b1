import { useEffect } from 'preact/hooks'
import type { Load } from './use-load.ts'
import { whileWatched } from './while-watched.ts'

const afterMs = 2000

/** Reads again while something is under way and a person is there, two seconds after each answer. */
export function useReloadWhile(
  isUnderWay: boolean,
  { isLoading, reload }: Pick<Load<unknown>, 'isLoading' | 'reload'>,
): void {
  useEffect(() => {
    if (isUnderWay && !isLoading) return whileWatched(afterMs, reload)
  }, [isUnderWay, isLoading, reload])
}
