/** In what states an account can be; several at once, but for `active`. */
export type Standing = 'active' | 'locked' | 'locked_out' | 'disabled' | 'must_change'

interface Fields {
  readonly locked: boolean
  readonly active: boolean
  readonly locked_until: string | null
  readonly must_change: boolean
}

/** The states of an account; `active` if it is neither locked, locked out nor disabled. */
export function standingOf(fields: Fields): readonly Standing[] {
  const states: Standing[] = []
  if (fields.locked) states.push('locked')
  if (fields.locked_until !== null) states.push('locked_out')
  if (!fields.active) states.push('disabled')
  if (states.length === 0) states.push('active')
  if (fields.must_change) states.push('must_change')
  return states
}
