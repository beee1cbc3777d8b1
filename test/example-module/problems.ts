import type { Problem } from '../../src/core/errors.ts'
import type { Reason } from '../../src/core/reasons/guards.ts'

export const noteNotFound: Problem = { name: 'noteNotFound', status: 404, error: 'Note not found' }

/** Why a note or its key is refused, for the operator. */
export const reasons = {
  'x-note-key-unknown': {
    guard: 'credential',
    explanation: 'No device has the key that was sent as X-Note-Key.',
    facts: [],
  },
  'x-no-administrator': {
    guard: 'account',
    explanation: 'A key of a device does not act for an administrator.',
    facts: ['user_id', 'asked_of'],
  },
  'x-note-owner-absent': {
    guard: 'access rule',
    explanation: 'The caller has no user here, who could own the note.',
    facts: [],
  },
} satisfies Record<`x-${string}`, Reason>
