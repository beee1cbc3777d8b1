/** Why a request was refused: the entry of a code in the registry, reasons.ts. */
export interface Reason {
  /** What has refused. */
  readonly guard: Guard
  /** One sentence for the operator. */
  readonly explanation: string
  /** The names of its facts. */
  readonly facts: readonly string[]
}

/** The parts of the service that refuse, in about the order in which a request meets them. */
export const guards = [
  'connection',
  'rate limit',
  'route',
  'forwarded request',
  'credential',
  'session',
  'token',
  'password',
  'account',
  'login limit',
  'second factor',
  'mailed code',
  'registration',
  'cross-site protection',
  'access rule',
  'forward rule',
  'recent login',
  'resource',
  'body',
  'precondition',
  'identity provider',
  'service',
] as const
export type Guard = (typeof guards)[number]

/** Answers the function that makes the reasons of a guard: of an explanation and names of facts. */
export const reasonBy =
  <const By extends Guard>(guard: By) =>
  <const Names extends readonly string[]>(explanation: string, ...facts: Names) => ({
    guard,
    explanation,
    facts,
  })
