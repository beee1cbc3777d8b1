import type { Problem } from '../../core/errors.ts'

export const signUpOff: Problem = {
  name: 'signUpOff',
  before: 'accessDenied',
  status: 403,
  error: 'Sign-up is off',
}

export const invitationNotFound: Problem = {
  name: 'invitationNotFound',
  status: 404,
  error: 'Invitation not found',
  words: { en: 'There is no such invitation.', de: 'Diese Einladung gibt es nicht.' },
}

export const invitationClosed: Problem = {
  name: 'invitationClosed',
  status: 409,
  error: 'Invitation already closed',
  words: {
    en: 'The invitation was used, withdrawn or has expired.',
    de: 'Die Einladung wurde benutzt oder zurückgezogen, oder sie ist abgelaufen.',
  },
}
