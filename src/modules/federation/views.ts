/** The pages of a sign-in through an identity provider. */
export interface FederationViews {
  landing: LandingView
  'second-factor': SecondFactorView
}

/** Goes on by itself: to a path of this service, or after a sign-out to the provider. */
export interface LandingView {
  readonly what: 'signed_in' | 'linked' | 'confirmed' | 'signed_out'
  readonly path: string
}

/** Asks for a code of the second factor, after a wrong or a missing one again. */
export interface SecondFactorView {
  readonly problem: 'wrong' | 'missing' | null
}

declare module '../../core/http/pages/views.ts' {
  interface Views extends FederationViews {}
}
