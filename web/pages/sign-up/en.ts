export const signUp = {
  noAccount: 'No account yet?',
  createOne: 'Create an account',
  title: 'Create an account',
  lead: 'Enter your e-mail address. We send you a link and a code, and then you choose username and password.',
  sendMail: 'Send me an e-mail',
  hasAccount: 'You have an account already?',
  signIn: 'Sign in',
  ended: 'Your sign-up took too long, or was begun in another browser. Please begin again.',
  emailProblems: {
    form: 'This is not an e-mail address. It looks like name@example.org.',
    domain: 'Addresses of this domain cannot sign up here. Use another address.',
  },

  sentTo: 'We have sent an e-mail to',
  openOrType: 'Open the link in it, or type its code here.',
  countsUntil: 'The link is valid until',
  codeHere: 'or less, if an e-mail was sent before. The code works in this window only.',
  noMailHint:
    'Look into your spam folder, and check the address. From this window we send one e-mail a minute at most, and to one address a few in an hour.',
  sentAgain: 'The e-mail is on its way once more.',
  otherAddress: 'Use another address',

  profile: 'Your new account',
  confirmed: 'You have confirmed',
  choose: 'Now choose how you want to sign in.',
  notYou: 'If you did not ask for an account, close this page: nothing has been created.',
  usernameHint: 'Up to 64 characters. Capitals make no difference.',
  name: 'Your name',
  nameHint: 'As others see it.',
  makeAccount: 'Create the account',
  usernameProblems: {
    missing: 'Choose a username.',
    form: 'A username has up to 64 characters, without a colon and without invisible characters.',
    taken: 'This username is taken. Choose another one.',
    too_often:
      'You have tried too many usernames that are taken. Try again in 15 minutes. Your link stays valid.',
    scripts: 'This username mixes letters of several alphabets. Use letters of one alphabet.',
    address:
      'This username is an e-mail address. Choose the address that you have confirmed, or a name that is no address.',
    reserved: 'This username is reserved. Choose another one.',
  },
  nameProblems: {
    missing: 'Enter your name.',
    form: 'A name has up to 100 characters.',
  },

  closed: 'You cannot sign up here',
  whyClosed: {
    off: 'New accounts are made by an administrator of this service.',
    invitation: 'New accounts need an invitation. Ask an administrator of this service for one.',
    mail: 'This service cannot send e-mail, which a sign-up needs. Ask an administrator of this service.',
  },

  taken: 'You have an account already',
  takenText: 'There is an account with this e-mail address. Sign in, or choose a new password.',
  forgotPassword: 'Forgot your password?',

  deadLink: 'This link is no longer valid',
  deadLinkText:
    'It was used before, has expired, or was not copied completely. If you have created your account, sign in; otherwise begin again.',
  beginAgain: 'Start over',
}

declare module '../../languages/languages.ts' {
  interface Texts {
    readonly signUp: typeof signUp
  }
}
