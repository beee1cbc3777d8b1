/** In what states an account can be; several at once, but for `active`. */
export type Standing =
  | 'active'
  | 'locked'
  | 'locked_out'
  | 'disabled'
  | 'deletion_pending'
  | 'must_change'

interface Fields {
  readonly locked: boolean
  readonly active: boolean
  readonly locked_until: string | null
  readonly must_change: boolean
  readonly deletion_at: string | null
}

/** The states of an account; `active` if a login could succeed. */
export function standingOf(fields: Fields): readonly Standing[] {
  const states: Standing[] = []
  if (fields.locked) states.push('locked')
  if (fields.locked_until !== null) states.push('locked_out')
  if (!fields.active) states.push('disabled')
  if (fields.deletion_at !== null) states.push('deletion_pending')
  if (states.length === 0) states.push('active')
  if (fields.must_change) states.push('must_change')
  return states
}
