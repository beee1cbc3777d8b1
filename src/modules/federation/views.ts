export interface FederationViews {
  landing: LandingView
  'second-factor': SecondFactorView
}

/** To a local path, or after a sign-out to the provider. `came_back`: to the callback. */
export interface LandingView {
  readonly what: 'signed_in' | 'linked' | 'confirmed' | 'signed_out' | 'came_back'
  readonly path: string
}

export interface SecondFactorView {
  readonly problem: 'wrong' | 'missing' | null
}

declare module '../../core/http/pages/views.ts' {
  interface Views extends FederationViews {}
}
