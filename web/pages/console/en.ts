import type { Told } from '../refusal/told.ts'

export const consolePage = {
  refusals: {
    consoleElsewhere: [
      'The console cannot be opened from here',
      'CONSOLE_ADDRESSES names the networks from which it may be opened, and yours is none of them. Open it from one of those, for example through your VPN. Your own account is at /account.',
    ],
  } satisfies Readonly<Record<string, Told>>,
}

declare module '../../languages/languages.ts' {
  interface Texts {
    readonly consolePage: typeof consolePage
  }
}
