import { refuseField } from '../../core/errors.ts'
import { checkpointType, isChosen } from './endpoints.ts'

const maxChosen = 100
const pattern = /^(?:[a-z0-9_]+|[a-z0-9_]*\*)$/

/**
 * Each name or prefix must match a known event. Removes duplicates. @throws ApiError
 * validationFailed
 */
export function parseChoice(chosen: readonly string[], known: readonly string[]): string[] {
  const names = [...new Set(chosen)]
  if (names.length === 0) return refuseField(['events'], 'must choose at least one event')
  if (names.length > maxChosen) {
    return refuseField(['events'], `must hold at most ${maxChosen} names`)
  }
  for (const [index, name] of names.entries()) {
    const isKnown =
      pattern.test(name) && [...known, checkpointType].some((type) => isChosen([name], type))
    if (!isKnown) return refuseField(['events', String(index)], 'chooses no event that there is')
  }
  return names
}
