/** The pages at the hosts of applications. */
export const forward = {
  denied: {
    title: 'You may not open this page',
    known: (name: string, host: string) =>
      `You are signed in as ${name}. This account may not open this address of ${host}.`,
    unknown: (host: string) => `This address of ${host} is not open to anyone.`,
    hint: 'If you have another account, sign out and then sign in with that one. Otherwise ask an administrator of this service.',
    another: 'Sign in with another account',
  },
  refusedTicket: {
    title: 'The sign-in did not arrive here',
    text: 'It took too long, was used before, or was begun in another browser or in a private window. Please begin again: if you are signed in already, you are not asked again.',
    begin: 'Start over',
  },
}

declare module '../../languages/languages.ts' {
  interface Texts {
    readonly forward: typeof forward
  }
}
