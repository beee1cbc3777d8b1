/** How often a proxy got each answer; fields, because every request to an application counts here. */
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
  /** How many rules are in force. */
  readonly rules: number
  /** Whether the file has changed to one that cannot be taken up. */
  readonly isBroken: boolean
}

/** The rules of FORWARD_AUTH_FILE as they are; null without the file. */
export const rulesFile = (): { read: (() => ForwardFileState) | null } => ({ read: null })
