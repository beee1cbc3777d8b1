export const keys = {
  title: 'Keys',
  intro:
    'The keys that sign tokens. Rotate them each half year, and at once if one leaked. A rotated key still verifies the tokens that it has signed, until they expire.',
  purposes: {
    signing: 'Access tokens',
    refresh: 'Refresh tokens',
    identity: 'ID tokens',
    data: 'Stored secrets',
  },
  hints: {
    signing: 'Your services verify these tokens, with RS256 by the public keys below.',
    refresh: 'This service alone reads these tokens.',
    identity:
      'Applications that sign people in here verify these tokens, by the public keys below.',
    data: 'Encrypts secrets of second factors and the like. It is never replaced.',
  },
  captions: {
    signing: 'Keys of access tokens',
    refresh: 'Keys of refresh tokens',
    identity: 'Keys of ID tokens',
    data: 'Keys that encrypt stored secrets',
  },
  kid: 'Key (kid)',
  algorithm: 'Algorithm',
  state: 'State',
  createdAt: 'Made',
  signsFrom: 'Signs from',
  verifiesUntil: 'Verifies until',
  action: 'Action',
  sinceMade: 'since it was made',
  untilReplaced: 'until it is replaced',
  states: {
    signs: 'signs',
    published: 'signs soon',
    verifies: 'verifies',
    ended: 'ended',
    encrypts: 'encrypts',
  },
  configured: 'from the settings',
  configuredHint:
    'This key is in TOKEN_SECRET or TOKEN_PRIVATE_KEY. It can be replaced only there, with a restart.',
  none: 'There is none.',
  rotate: 'Rotate',
  rotateNow: 'It leaked: rotate at once',
  rotateTitle: {
    signing: 'Rotate the key of access tokens?',
    refresh: 'Rotate the key of refresh tokens?',
    identity: 'Rotate the key of ID tokens?',
  },
  rotateEffects: {
    identity: [
      'A new key is made and published now. It signs once the applications that keep the public keys know it.',
      'ID tokens of the present key stay valid until they expire: people stay signed in.',
    ],
    signing: [
      'A new key is made and published now. It signs once the services that keep the public keys know it.',
      'Tokens of the present key stay valid until they expire: no session or token ends.',
    ],
    refresh: [
      'A new key is made, and signs once all nodes know it.',
      'Tokens of the present key stay valid until they expire: no session or token ends.',
    ],
  },
  rotateNowEffects: {
    identity: [
      'A new key signs in 3 seconds.',
      'Applications that keep the public keys may refuse a sign-in for 5 minutes.',
      'The old key still verifies. Retire it afterwards: only that refuses tokens that others make with it.',
    ],
    signing: [
      'A new key signs in 3 seconds.',
      'Services that keep the public keys may refuse new tokens for 5 minutes.',
      'The old key still verifies. Retire it afterwards: only that refuses tokens that others make with it.',
    ],
    refresh: [
      'A new key signs in 3 seconds.',
      'The old key still verifies. Retire it afterwards: only that refuses tokens that others make with it.',
    ],
  },
  rotated: (kid: string) => `The new key is ${kid}.`,
  rotatedAtOnce: (kid: string, before: string) =>
    `The new key is ${kid}. Retire ${before} as soon as its button appears.`,
  retire: 'Retire',
  retireTitle: (kid: string) => `Retire the key ${kid}?`,
  retireEffects: {
    identity: [
      'Applications may ask for a new sign-in, and a sign-out that one asks for may fail.',
      'This cannot be undone.',
    ],
    signing: [
      'Every access token that it has signed is refused from now on.',
      'Who has a refresh token gets a new access token by it; all others sign in again.',
      'Services that keep the public keys may accept its tokens for 5 more minutes.',
      'This cannot be undone.',
    ],
    refresh: [
      'Every refresh token that it has signed is refused from now on.',
      'Its owners sign in again once their access token expires.',
      'This cannot be undone.',
    ],
    data: ['This cannot be undone.'],
  },
  retired: (kid: string) => `The key ${kid} is retired: its tokens are refused.`,
  publicKeys: 'Public keys',
  jwksHint: 'Services that verify access tokens read them here (JWKS, RFC 7517).',
  jwksAddress: 'the address of the public keys',
  jwksNone:
    'There are none: these tokens are signed with HS256, by a secret. With TOKEN_ALGORITHM=RS256 other services can verify tokens by themselves.',
  jwksText: 'As services read it',
}
