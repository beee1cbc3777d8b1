/** Can take over or destroy an account. */
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
export type ProtectedChange = (typeof protectedChanges)[number]

/** In addition to the login. */
export const proofKinds = ['password', 'factor', 'provider', 'email'] as const
export type ProofKind = (typeof proofKinds)[number]
