import { plural } from '../../languages/words.ts'
/** The pages of applications that sign people in. */
export const provider = {
  consentTitle: (application: string) => `Sign in to ${application}`,
  wants: (application: string) => `${application} asks for:`,
  returnsTo: 'You continue to',
  signedInAs: 'You are signed in as',
  runBy: (operator: string) => `Run by ${operator}.`,
  aboutIt: 'About the application',
  scopes: {
    openid: 'to know that you have signed in here',
    profile: 'your name and username',
    email: 'your e-mail address',
    groups: 'your roles',
    roles: 'your roles',
    offline_access: 'to keep its access after you sign out here',
  },
  otherScope: (scope: string) => `the permission ${scope}`,
  lacksEmail: (application: string) =>
    `Your account has no verified e-mail address. ${application} may refuse you without one.`,
  toEmail: 'Verify an address',
  allow: 'Allow',
  deny: 'Deny',
  accountTitle: (application: string) => `Which account for ${application}?`,
  goOnAs: (username: string) => `Continue as ${username}`,
  otherAccount: 'Use another account',
  otherAccountEnds:
    'To use another account, you are signed out here and of all applications that you use with this sign-in.',
  refusedTitle: (application: string) => `${application} is not open to you`,
  refused: (application: string, username: string) =>
    `Your account ${username} may not use ${application}. Ask those who run it for access.`,
  back: 'Back to the application',
  problemTitle: 'The application asked for something wrong',
  problem:
    'You came from an application whose request this service cannot answer. Go back to the application and try again; if it happens again, tell those who run it.',
  problemIs: 'For those who run it:',
  signOutTitle: 'Sign out?',
  signOut: (username: string) => `You are signed in as ${username}.`,
  signOutOf: (application: string) => `${application} asks to sign you out.`,
  signOutEnds: 'You are signed out here and of all applications that you use with this sign-in.',
  signOutNow: 'Sign out',
  stay: 'Stay signed in',
  deviceTitle: 'Connect a device',
  deviceLead: 'Type the code that the device shows.',
  deviceCode: 'Code',
  deviceWrong: 'This code is unknown, has expired, or was used.',
  deviceGoOn: 'Continue',
  deviceDecisionTitle: (application: string) => `Sign in to ${application} on a device?`,
  deviceAsks: (application: string) =>
    `A device asks to use your account for ${application}. Allow it only if you have the device before you and it shows this code:`,
  deviceAt: 'It asked from the address',
  deviceDone: 'The device is connected',
  deviceDoneLead: 'Go back to the device: it continues automatically.',
  deviceRefused: 'The device is refused',
  deviceRefusedLead: 'It gets nothing. You can close this page.',
  title: 'Applications',
  count: plural('en', { none: 'none has access', one: 'one has access', other: '# have access' }),
  summary: 'What signs you in by this account, and what it may have.',
  explanation:
    'These applications sign you in by this account. An application whose access you withdraw is signed out, and asks again at the next sign-in.',
  none: 'There is none.',
  name: 'Application',
  has: 'Has',
  since: 'Since',
  noConsent: 'the operator allows it',
  isOffline: 'stays signed in after you sign out',
  action: 'Action',
  withdraw: 'Withdraw',
  withdrawOf: (application: string) => `Withdraw the access of ${application}`,
  withdrawn: 'The access is withdrawn.',
}

declare module '../../languages/languages.ts' {
  interface Texts {
    readonly provider: typeof provider
  }
}
