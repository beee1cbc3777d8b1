import { plural } from '../../languages/words.ts'

export const passkeys = {
  signIn: 'Sign in with a passkey',
  use: 'Use a passkey',
  or: 'Or with a code',
  failed: 'No passkey was used. Try again, or go another way.',
  refused: 'This passkey was not accepted. Try another one, or go another way.',
  title: 'Passkeys',
  summary: 'Sign in by fingerprint, face or PIN, without a password.',
  lead: 'A passkey signs you in by the fingerprint, the face or the PIN of a device, in place of password and code. Nobody can steal it by a false page.',
  count: plural('en', { none: 'none', one: '# passkey', other: '# passkeys' }),
  none: 'You have no passkey yet.',
  name: 'Name',
  added: 'Added',
  lastUsed: 'Last used',
  never: 'never',
  kind: 'Kind',
  synced: 'On several devices',
  bound: 'On one device',
  unusable: 'Of another address of this service: cannot be used',
  action: 'Action',
  rename: 'Rename',
  renameOf: (name: string) => `Rename ${name}`,
  remove: 'Remove',
  removeOf: (name: string) => `Remove ${name}`,
  add: 'Add a passkey',
  addExplanation: 'All other sessions will be ended.',
  addTitle: 'Add a passkey',
  nameHint: 'By which you know the passkey among others.',
  create: 'Create the passkey',
  unsupported: 'Your browser cannot create passkeys, or scripts are off. Use another browser.',
  impossible: 'This service has an address at which browsers create no passkeys.',
  renameTitle: 'Rename a passkey',
  save: 'Save',
  removeTitle: 'Remove the passkey?',
  removeExplanation: (name: string) =>
    `The passkey ${name} signs in no more. All other sessions will be ended. Delete the passkey on your device, too.`,
  done: {
    passkey_added: 'The passkey was added. All other sessions were ended.',
    passkey_renamed: 'The passkey was renamed.',
    passkey_removed: 'The passkey was removed. All other sessions were ended.',
  },
  problems: {
    passkey_refused: 'This passkey was not accepted. Try once more.',
    passkey_name: 'Type a name of at most 64 letters.',
    passkeys_full: 'You have as many passkeys as you can have. Remove one first.',
  },
}

declare module '../../languages/languages.ts' {
  interface Texts {
    readonly passkeys: typeof passkeys
  }
}
