export const home = {
  title: 'Authentication and users',
  lead: 'One account for your applications. Sign in to manage your account; an application sends you here automatically when it needs you.',
  signIn: 'Sign in',
  signInWith: (provider: string) => `Sign in with ${provider}`,
  sharedComputer: 'On a shared computer, log out when you have finished:',
  logOutOf: (provider: string) => `log out of ${provider}`,
  forDevelopers: 'For developers',
  reference: 'Reference of the API',
  openapi: 'OpenAPI document',
  openapiFor: ', for clients that are generated',
  keys: 'Public keys',
  keysFor: ', for services that verify its tokens',
  health: 'Health',
  healthFor: ': whether it serves requests now',
  apiBefore: 'An application signs a user in with',
  apiAfter:
    ', by form or JSON, and gets a session, a token or a pair of tokens. Programs that ask for',
  apiEnd: 'get these links as JSON.',
  tooOften: 'You have asked too often',
  notNow: 'This page cannot be shown now',
  waitLittle: 'Wait a little, and then try again.',
  inAMoment: 'Try again in a moment.',
}

declare module '../../languages/languages.ts' {
  interface Texts {
    readonly home: typeof home
  }
}
