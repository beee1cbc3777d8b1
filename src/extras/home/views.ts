import type { SignInLink } from '../../modules/pages/sign-in/views.ts'

export interface HomeViews {
  home: HomeView
  'home-trouble': HomeTroubleView
}

export interface HomeView {
  /** The label is for people. */
  readonly signIn: readonly {
    readonly href: string
    readonly logout: string
    readonly label: string
  }[]
  /** Of other modules, for example the sign-up. */
  readonly links: readonly SignInLink[]
  /** Null in production, where the page is for people. */
  readonly developers:
    | (Readonly<Record<'jwks' | 'health', Link>> & {
        readonly documentation?: Link
        readonly openapi?: Link
      })
    | null
}

interface Link {
  readonly href: string
}

/** An error of `/`. */
export interface HomeTroubleView {
  readonly isTooOften: boolean
}

declare module '../../core/http/pages/views.ts' {
  interface Views extends HomeViews {}
}
