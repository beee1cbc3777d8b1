import { plural } from '../../../languages/words.ts'

/** What limits count now, and whom they refuse. */
export const throttle = {
  title: 'Throttle',
  lead: 'Each failed login counts for its username and for its address. When a limit is reached, further attempts are rejected without checking the password until the limit resets.',
  accounts: 'Accounts with failed logins in a row',
  accountsEmpty: 'No account has a failed login that was not followed by a good one.',
  counts: 'What the limits count',
  countsEmpty: 'No limit counts an attempt now: no password is being guessed.',
  columns: {
    username: 'Account',
    failures: 'Failed in a row',
    state: 'State',
    count: 'Limit',
    address: 'Address',
    used: 'Used',
    until: 'Free again',
    actions: 'Actions',
  },
  limits: {
    login: 'Username from one address',
    login_by_email: 'Mail address of an account from one address',
    device: 'Known browser of an account',
    address: 'All logins from one address',
    captcha: 'Proof of work of a username from one address',
    second_factor: 'Second factor of an account',
    client: 'Secret of a client from one address',
    client_address: 'All clients from one address',
    passkey_address: 'All passkeys from one address',
    taken_usernames: 'Taken usernames at a sign-up',
  },
  state: { out: 'locked out', full: 'full', counting: 'counting' },
  usedOf: (used: number, attempts: number) =>
    attempts === 0 ? `${used}` : `${used} of ${attempts}`,
  pending: plural('en', { one: '# being judged', other: '# being judged' }),
  clear: 'Clear',
  clearTitle: (name: string) => `Forget the failed attempts of ${name}?`,
  clearEffects: [
    'Its limits are empty: it has all its attempts again, from each address.',
    'An automatic lockout ends. A lock of an administrator stays.',
    'This cannot be undone. If a stranger guesses the password, he goes on sooner.',
  ],
  clearAddressEffects: [
    'Everyone behind this address can try to sign in again at once.',
    'The limits of each username at this address stay.',
    'This cannot be undone. If a stranger guesses passwords from there, the guesses go on sooner.',
  ],
  clearAction: 'Clear the throttle',
  cleared: (name: string) => `The failed attempts of ${name} are forgotten.`,
  noClear: 'ends automatically',
  unknownName: 'no account',
  whyThis: 'Why?',
}
