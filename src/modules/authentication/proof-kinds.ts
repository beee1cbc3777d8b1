/** The changes of the own account that can take it over or destroy it. Each wants proofs. */
export const protectedChanges = [
  'password',
  'factor',
  'factor_removal',
  'recovery_codes',
  'email',
  'identity',
  'identity_removal',
  'deletion',
] as const
export type ProtectedChange = (typeof protectedChanges)[number]

/** The kinds of proof that confirm a protected change, in addition to the login. */
export const proofKinds = ['password', 'totp', 'provider', 'email'] as const
export type ProofKind = (typeof proofKinds)[number]
