/** Can take over or destroy an account. The API names these. */
export const protectedChanges = [
  'password',
  'factor',
  'factor_removal',
  'recovery_codes',
  'email',
  'identity',
  'identity_removal',
  'deletion',
  'app_password',
] as const
/** A module from outside adds its own: for its forms (`protectedForm`). */
export type ProtectedChange = KnownChange | `x-${string}`
export type KnownChange = (typeof protectedChanges)[number]

/** In addition to the login. */
export const proofKinds = ['password', 'factor', 'provider', 'email'] as const
export type ProofKind = (typeof proofKinds)[number]
