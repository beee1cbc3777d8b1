import type { Problem } from '../../core/errors.ts'

export const identityNotFound: Problem = {
  name: 'identityNotFound',
  status: 404,
  error: 'Identity not found',
  words: { en: 'There is no such identity.', de: 'Diese Identität gibt es nicht.' },
}

export const linkedToAnother: Problem = {
  name: 'identityLinked',
  status: 409,
  error: 'Identity already linked',
}

export const providerFailed: Problem = {
  name: 'identityProvider',
  status: 502,
  error: 'Identity provider error',
}
