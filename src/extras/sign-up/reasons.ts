import type { FactsOf, TranslatedReason } from '../../core/reasons/types.ts'

export const reasons = {
  sign_up_not_open: {
    guard: 'registration',
    explanation: 'SIGN_UP lets no stranger make an account: it is off, or asks for an invitation.',
    words: {
      de: 'SIGN_UP lässt Fremde kein Konto anlegen: Es ist aus oder verlangt eine Einladung.',
    },
    facts: ['sign_up'],
  },
  address_taken: {
    guard: 'registration',
    explanation: 'An account has this mail address as its verified one.',
    words: { de: 'Ein Konto hat diese E-Mail-Adresse bestätigt.' },
    facts: ['user_id'],
  },
  no_such_invitation: {
    guard: 'registration',
    explanation: 'There is no invitation of this id.',
    words: { de: 'Es gibt keine Einladung dieser Kennung.' },
  },
  invitation_closed: {
    guard: 'registration',
    explanation: 'The invitation was accepted, or revoked.',
    words: { de: 'Die Einladung wurde angenommen oder zurückgezogen.' },
    facts: ['invitation', 'state'],
  },
  inviter_without_account: {
    guard: 'registration',
    explanation:
      'The caller has no account here, which must stand behind the invitation until it is accepted.',
    words: {
      de: 'Wer einlädt, hat hier kein Konto; eines muss bis zur Annahme hinter der Einladung stehen.',
    },
  },
  inviter_not_allowed: {
    guard: 'registration',
    explanation:
      'The administrator who gave the invitation was deleted, is not usable, or lacks the role ADMIN now.',
    words: {
      de: 'Wer eingeladen hat, wurde gelöscht, kann sich nicht anmelden oder hat die Rolle ADMIN nicht mehr.',
    },
    facts: ['invitation', 'invited_by'],
  },
} as const satisfies Record<string, TranslatedReason>

declare module '../../core/errors.ts' {
  interface ReasonFacts extends FactsOf<typeof reasons> {}
}
