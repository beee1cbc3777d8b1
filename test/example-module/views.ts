import type { OwnPage } from '../../src/extras/own-account/pages/views.ts'
import type { SignInForm } from '../../src/modules/pages/sign-in/views.ts'

export interface BadgeViews {
  'sign-in-badge': BadgeSignInView
  'account-badge': BadgeView
  'account-new-badge': NewBadgeView
}

export interface BadgeSignInView extends SignInForm {
  readonly username: string
  readonly problem: 'wrong' | 'throttled' | null
}

export interface BadgeView extends OwnPage {
  /** Epoch milliseconds; null: no badge. */
  readonly since: number | null
}

export interface NewBadgeView {
  readonly username: string
  readonly words: string
  readonly link: string
  /** SVG. */
  readonly qr: string
}

declare module '../../src/core/http/pages/views.ts' {
  interface Views extends BadgeViews {}
}

declare module '../../src/modules/pages/sign-in/views.ts' {
  interface SignInLinks {
    badge: true
  }
}

declare module '../../src/extras/own-account/pages/views.ts' {
  interface AccountDones {
    badge_removed: true
  }
}
