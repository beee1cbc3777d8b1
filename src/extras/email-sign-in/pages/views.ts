import type { SignInForm } from '../../../modules/pages/sign-in/views.ts'

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
  /** Code lifetime from the start. */
  readonly lifetimeSeconds: number
  /** Delay before another mail. */
  readonly resendSeconds: number
  readonly problem: 'wrong' | 'missing' | 'throttled' | null
}

/** An opened link; a button signs in. */
export interface LinkView extends SignInForm {
  readonly username: string
  /** Null if requested by this browser. */
  readonly asked: RequestOrigin | null
}

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
