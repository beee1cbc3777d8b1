import { eventType } from '../../core/events/types.ts'

export const signUpRequested = eventType<{ is_taken: boolean }>('sign_up_requested', {
  formerly: 'sign_up_begun',
  groups: [],
  description: 'a visitor asked for an account; a mail was written',
  fields: { is_taken: 'an account has the address, and its owner was told so by mail' },
  words: { en: 'Sign-up requested', de: 'Registrierung angefordert' },
})

type Invitation = { readonly invitation: number; readonly roles: readonly string[] }

export const invitationCreated = eventType<Invitation>('invitation_created', {
  groups: ['administration'],
  inOverview: true,
  description: 'a person is invited by mail',
  fields: { invitation: '', roles: '' },
  words: { en: 'Person invited', de: 'Person eingeladen' },
})

export const invitationResent = eventType<Invitation>('invitation_resent', {
  groups: [],
  description: 'an invitation is mailed again; an expired one begins anew',
  fields: { invitation: '', roles: '' },
  words: { en: 'Invitation sent again', de: 'Einladung noch einmal gesendet' },
})

export const invitationRevoked = eventType<Invitation & { reason: 'revoked' | 'replaced' }>(
  'invitation_revoked',
  {
    groups: ['administration'],
    description: 'an invitation counts no more',
    fields: {
      invitation: '',
      roles: '',
      reason: '`revoked`, `replaced` by another to the address',
    },
    words: { en: 'Invitation withdrawn', de: 'Einladung zurückgezogen' },
  },
)

export const invitationAccepted = eventType<Invitation & { user_id: number }>(
  'invitation_accepted',
  {
    groups: [],
    description: 'an account was made of an invitation',
    fields: { invitation: '', roles: '', user_id: '' },
    words: { en: 'Invitation accepted', de: 'Einladung angenommen' },
  },
)
