import type { Told } from '../refusal/told.ts'

export const federation = {
  refusals: {
    identityLinked: [
      'This identity is linked already',
      'It signs in to another account. To link it here, unlink it there first.',
    ],
    identityProvider: [
      'The identity provider made an error',
      'Its answer could not be used. Try again, and tell an administrator if it happens once more.',
    ],
  } satisfies Readonly<Record<string, Told>>,
  landing: {
    signed_in: { title: 'Signed in', text: 'You are signed in.' },
    confirmed: { title: 'Confirmed', text: 'The provider has confirmed that it is you.' },
    signed_out: {
      title: 'Signed out',
      text: 'You are signed out here. Continue to the provider to sign out there.',
    },
    came_back: { title: 'Signing in', text: 'The provider has answered. The sign-in goes on.' },
    linked: { title: 'Identity linked', text: 'From now on it signs you in.' },
  },
  secondFactor: {
    title: 'Second factor',
    text: 'Your account asks for a second factor. Enter the code that your authenticator app shows now.',
    textOfRecoveryCode:
      'Your account asks for a second factor. Use a passkey, or enter one of your recovery codes.',
    textOfSeveral: 'Your account asks for a second factor. Fill in one of the fields.',
    lostPhone: 'Lost your phone?',
    recoveryCode: 'Recovery code',
    wrong: 'This code is not right, or it was used before. Enter another one.',
    missing: 'Enter a code.',
  },
}

declare module '../../languages/languages.ts' {
  interface Texts {
    readonly federation: typeof federation
  }
}
