export const emailSignIn = {
  byMail: {
    title: 'Sign in by e-mail',
    lead: 'Enter the e-mail address of your account. If there is one, we send it a link and a code.',
    submit: 'Send me an e-mail',
    withPassword: 'Sign in with a password',
    problems: {
      form: 'This is not an e-mail address. It looks like name@example.org.',
      throttled: 'You have asked for too many e-mails.',
    },
  },
  mailed: {
    lead: (address: string) =>
      `If an account has the address ${address}, an e-mail is on its way there. Open its link, or type its code here.`,
    lifetime: (time: string) => `Both are valid for ${time}.`,
    problems: {
      wrong:
        'This code is not right, or it is no longer valid. Look at the newest e-mail, or ask for another one.',
      missing: 'Enter the code of the e-mail.',
      throttled: 'There were too many attempts. Wait a while.',
    },
  },
  link: {
    title: (username: string) => `Sign in as ${username}?`,
    lead: (username: string) => `You have asked for this link. It signs you in as ${username}.`,
    elsewhere: 'This link was asked for in another browser.',
    askedAt: 'When',
    askedFrom: 'From the address',
    askedBy: 'With',
    unknown: 'unknown',
    device: (browser: string, system: string) => `${browser} on ${system}`,
    onlyYou: (username: string) =>
      `Continue only if that was you and ${username} is your account. You are signed in here, in this browser.`,
    submit: (username: string) => `Sign in as ${username}`,
    notMe: 'It was not me',
  },
  deadLink: {
    title: 'This link is no longer valid',
    text: 'It has expired, was used before, or is not whole. Ask for a new e-mail.',
  },
}

declare module '../../languages/languages.ts' {
  interface Texts {
    readonly emailSignIn: typeof emailSignIn
  }
}
