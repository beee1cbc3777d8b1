import type { Reason } from '../../src/core/reasons/types.ts'

/** Why a note or its key is refused, for the operator. */
export const reasons = {
  'x-note-key-unknown': {
    guard: 'credential',
    explanation: 'No device has the key that was sent as X-Note-Key.',
  },
  'x-note-code-wrong': {
    guard: 'second factor',
    explanation: 'The words are on no note of the account.',
  },
  'x-note-badge-wrong': {
    guard: 'credential',
    explanation:
      'The words are not those of the badge of the account, or there is no such account.',
  },
  'x-no-administrator': {
    guard: 'account',
    explanation: 'A key of a device does not act for an administrator.',
    facts: ['user_id', 'asked_of'],
  },
  'x-note-owner-absent': {
    guard: 'access rule',
    explanation: 'The caller has no user here, who could own the note.',
  },
} satisfies Record<`x-${string}`, Reason>
