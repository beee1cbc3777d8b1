import type { Problem } from '../../core/errors.ts'

/** In the words of RFC 7591 section 3.2.2. */
export const invalidRedirectUri: Problem = {
  name: 'registrationRedirectUri',
  status: 400,
  error: 'invalid_redirect_uri',
  event: 'inputFail',
}

export const invalidMetadata: Problem = {
  name: 'registrationMetadata',
  status: 400,
  error: 'invalid_client_metadata',
  event: 'inputFail',
}

/** RFC 6750 section 3.1. */
export const invalidRegistrationToken: Problem = {
  name: 'registrationTokenInvalid',
  status: 401,
  error: 'invalid_token',
  event: 'tokenFail',
}

export const registrationTokenNotFound: Problem = {
  name: 'registrationTokenNotFound',
  isUnlisted: true,
  status: 404,
  error: 'Registration token not found',
  words: {
    en: 'There is no such token: it was revoked, has ended, or never was.',
    de: 'Diesen Token gibt es nicht: Er wurde widerrufen, ist abgelaufen, oder es gab ihn nie.',
  },
}
