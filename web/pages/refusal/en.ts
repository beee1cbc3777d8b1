import type { Told } from './told.ts'

export const refusal = {
  refusals: {
    signInFailed: [
      'This sign-in cannot be finished',
      'It has taken too long, was finished before, or was begun in another browser or window.',
    ],
    accessDenied: [
      'You were not signed in',
      'The identity provider did not confirm the sign-in, or your account may not be used here. If you did not cancel it yourself, ask an administrator of this service.',
    ],
    passwordChangeRequired: [
      'Your password must be changed first',
      'Sign in once with your username and password in the application that you use, and set a new password there.',
    ],
    enrolmentRequired: [
      'Your account needs a second factor',
      'Your roles ask for one, and none is set up yet. An application can set it up with the token below, within ten minutes. Give the token to no one.',
    ],
    invalidCredentials: ['You were not signed in', 'The account cannot be signed in to any more.'],
    tooManyLoginAttempts: [
      'Too many wrong codes',
      'For the protection of the account, no further code is accepted for some time.',
    ],
    tooManyRequests: ['You have asked too often', 'Wait a little before you try again.'],
    serviceUnavailable: [
      'The sign-in does not work just now',
      'This service or the identity provider cannot be reached. Try again in a moment.',
    ],
    pageNotFound: [
      'There is no such page',
      'The address may be misspelt, or the page does not exist any more.',
    ],
    routeNotFound: [
      'There is no such sign-in',
      'This service has no identity provider of that name. The start page shows those that it has.',
    ],
  } satisfies Readonly<Record<string, Told>>,
  otherwise: ['Something went wrong', 'Nothing was changed. Go back and begin again.'] as Told,
  signInAgain: 'Sign in again',
}

declare module '../../languages/languages.ts' {
  interface Texts {
    readonly refusal: typeof refusal
  }
}
