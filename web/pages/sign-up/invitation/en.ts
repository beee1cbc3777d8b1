export const invitation = {
  title: 'You are invited',
  lead: (service: string) => `You get an account of ${service} for`,
  choose: 'Choose username and password.',
  youMay: 'With this account you may:',
  roles: {
    USER: 'use the service',
    EDITOR: 'write and edit posts',
    ADMIN: 'administer users and accounts',
  },
  otherRole: (role: string) => `what the role ${role} allows`,
  notYou: 'If this is not your address, close this page: nothing has been created.',
  accept: 'Accept and create the account',
  deadLink: 'This invitation is no longer valid',
  deadLinkText:
    'It was accepted or withdrawn, has expired, or its link was not copied completely. If you have created your account, sign in; otherwise ask for a new invitation.',
}

declare module '../../../languages/languages.ts' {
  interface Texts {
    readonly invitation: typeof invitation
  }
}
