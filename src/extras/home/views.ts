export interface HomeViews {
  home: HomeView
  'home-trouble': HomeTroubleView
}

export interface HomeView {
  readonly links: Readonly<Record<'jwks' | 'health', Link>> & {
    readonly documentation?: Link
    readonly openapi?: Link
  }
  /** The label is for people. */
  readonly signIn: readonly {
    readonly href: string
    readonly logout: string
    readonly label: string
  }[]
  /** Whether the documents require an administrator. */
  readonly isForAdmin: boolean
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
