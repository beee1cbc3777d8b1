/** The page of the own profile. */
export const profile = {
  title: 'Profile',
  summary: 'Further details of your account.',
  fixed: 'Set by an administrator',
  own: 'Your details',
  save: 'Save',
  yes: 'yes',
  no: 'no',
  none: 'not set',
  saved: 'Your profile is saved.',
  wrong: 'Please correct the marked fields.',
}

declare module '../../languages/languages.ts' {
  interface Texts {
    readonly profile: typeof profile
  }
}
