/** Plain fields, because every request counts here. */
export interface ForwardDecisions {
  allowed: number
  bypass: number
  sign_in: number
  unauthenticated: number
  denied: number
  bad_request: number
  unavailable: number
}

export const forwardDecisions = (): ForwardDecisions => ({
  allowed: 0,
  bypass: 0,
  sign_in: 0,
  unauthenticated: 0,
  denied: 0,
  bad_request: 0,
  unavailable: 0,
})

export interface ForwardFileState {
  readonly rules: number
  readonly isBroken: boolean
}

export const rulesFile = (): { read: (() => ForwardFileState) | null } => ({ read: null })
