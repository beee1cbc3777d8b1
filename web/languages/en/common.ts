import { duration, plural } from '../words.ts'

const inWords = duration({
  seconds: plural('en', { one: 'one second', other: '# seconds' }),
  minutes: plural('en', { one: 'one minute', other: '# minutes' }),
  hours: plural('en', { one: 'one hour', other: '# hours' }),
  days: plural('en', { one: 'one day', other: '# days' }),
})

/** The texts that several flows need, and those of the frame and the components. */
export const common = {
  /** A length of time in words, from seconds. */
  inWords,
  skip: 'Skip to the content',
  errorTitle: (title: string) => `Error: ${title}`,
  signedInAs: (name: string) => `Signed in as ${name}`,
  consoleNeedsScripts: 'The console needs scripts. Without them you have',
  account: 'Your account',
  signOut: 'Sign out',
  startPage: 'Start page',
  goOn: 'Continue',
  verify: 'Verify',
  cancel: 'Cancel',
  tryAgain: 'Try again',
  tryAgainIn: (seconds: number) => `Try again in ${inWords(seconds)}.`,
  language: 'Language',
  problemTitle: 'There is a problem',
  optional: 'optional',
  /** Of a field that an operator has added. */
  inputProblems: {
    missing: 'Please fill in this field.',
    invalid: 'This value is not allowed here.',
    taken: 'Another account has this value already.',
  },
  username: 'Username',
  email: 'E-mail address',
  password: 'Password',
  newPassword: 'New password',
  repeatPassword: 'New password, once more',
  passwordsDiffer: 'The two passwords are not the same.',
  showPassword: 'Show',
  hidePassword: 'Hide',
  showPasswordOf: (label: string) => `Show: ${label}`,
  passwordRules: 'Your password must',
  atLeastCharacters: plural('en', {
    one: 'have at least # character',
    other: 'have at least # characters',
  }),
  notYourName: 'not contain your username or e-mail address',
  notBreached: 'not be a common one, nor one that became known elsewhere',
  ruleMet: 'met',
  ruleNotMet: 'not met yet',
  passwordAdvice: 'A few words that do not belong together are long and easy to remember.',
  code: 'Code',
  codeOfApp: 'Code of your authenticator app',
  sixDigits: 'Six digits, for example 123456.',
  eightDigits: 'Eight digits, for example 1234 5678.',
  recoveryCodeHint: 'Each recovery code works once.',
  resend: 'Send it again',
  resendIn: (seconds: number) => `You can ask for it again in ${inWords(seconds)}.`,
  copy: 'Copy',
  copied: 'Copied',
  print: 'Print',
  qrCode: 'QR code for your authenticator app',
  captcha: 'Proof of work',
  captchaWorking:
    'Your browser is solving a small task, so that programs cannot guess passwords quickly.',
  captchaDone: 'The task is solved.',
  captchaFailed: 'The task could not be solved. Load the page again.',
  captchaNeedsScripts:
    'There were several wrong passwords. Your browser must solve a small task now, for which it needs JavaScript. Allow it for this page, or try again later.',
  forQuestions: (id: string) => `For questions: request ${id}.`,
}
