/** The page of `/`. */
export interface HomeViews {
  home: HomeView
  'home-trouble': HomeTroubleView
}

export interface HomeView {
  readonly links: Readonly<Record<'jwks' | 'health', Link>> & {
    readonly documentation?: Link
    readonly openapi?: Link
  }
  /** The identity providers; the label is for people. */
  readonly signIn: readonly {
    readonly href: string
    readonly logout: string
    readonly label: string
  }[]
  /** Whether only an administrator may read the documents. */
  readonly isForAdmin: boolean
}

interface Link {
  readonly href: string
}

/** `/` itself was refused. */
export interface HomeTroubleView {
  readonly isTooOften: boolean
}

declare module '../../core/http/pages/views.ts' {
  interface Views extends HomeViews {}
}
