import { plural } from '../../languages/words.ts'

/** The page of app passwords. */
export const appPasswords = {
  title: 'App passwords',
  count: plural('en', { none: 'none', one: 'one', other: '# app passwords' }),
  summary: 'For programs that ask for a name and a password, such as a calendar.',
  explanation:
    'An app password lets one program use the applications behind this sign-in. It opens neither this account nor anything else here.',
  none: 'There is none.',
  name: 'Name',
  nameHint: 'What it is for, for example the calendar of your phone.',
  made: 'Made',
  ends: 'Ends',
  lastUsed: 'Last used',
  never: 'never',
  action: 'Action',
  change: 'You want to make an app password.',
  create: 'Make an app password',
  revoke: 'Revoke',
  revokeOf: (name: string) => `Revoke ${name}`,
  newTitle: 'Your app password',
  shownOnce:
    'It is shown this once, and is gone when you reload or leave this page. Type it into the program now, with your username.',
  username: 'Username',
  key: 'App password',
  keptIt: 'I have typed it',
  revoked: 'The app password is revoked.',
  badName: 'Give it a name without control characters.',
  full: 'You have as many app passwords as you can have. Revoke one first.',
}

declare module '../../languages/languages.ts' {
  interface Texts {
    readonly appPasswords: typeof appPasswords
  }
}
