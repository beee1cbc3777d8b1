import type { SignInForm } from '../../../modules/pages/sign-in/views.ts'

/** The pages of a sign-in by mail. */
export interface ByMailViews {
  'sign-in-by-mail': ByMailView
  'sign-in-mailed': MailedView
  'sign-in-link': LinkView
  'sign-in-dead-link': DeadLinkView
}

export interface ByMailView extends SignInForm {
  readonly email: string
  readonly problem: 'form' | 'throttled' | null
}

export interface MailedView extends SignInForm {
  readonly email: string
  /** How long the code counts, from its beginning. */
  readonly lifetimeSeconds: number
  /** How long no other mail is sent. */
  readonly resendSeconds: number
  readonly problem: 'wrong' | 'missing' | 'throttled' | null
}

/** A link of a mail is open; a press signs in. */
export interface LinkView extends SignInForm {
  readonly username: string
  /** Null if this browser requested the link. */
  readonly asked: RequestOrigin | null
}

/** Where a mail was requested. */
export interface RequestOrigin {
  /** Epoch milliseconds. */
  readonly at: number
  readonly address: string | null
  readonly browser: string | null
  readonly system: string | null
}

export interface DeadLinkView {
  readonly begin: string
}

declare module '../../../modules/pages/sign-in/views.ts' {
  interface SignInLinks {
    byMail: true
  }
}

declare module '../../../core/http/pages/views.ts' {
  interface Views extends ByMailViews {}
}
