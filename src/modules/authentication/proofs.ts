import type { FastifyRequest } from 'fastify'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import type { Reauthorization } from '../../core/http/changes/reauthorize.ts'
import type { Account } from './account.ts'
import { type ProofKind, type ProtectedChange, proofKinds } from './proof-kinds.ts'

export interface Provable {
  readonly hasPassword: boolean
  readonly hasFactor: boolean
  readonly hasProvider: boolean
}

interface ProofRule {
  isNeeded(account: Provable): boolean
  /** False: only the confirmation page accepts the proof. */
  readonly isSent: boolean
}

/** The only place that decides about proofs. docs/adr/0073 */
const rules: Readonly<Record<ProofKind, ProofRule>> = {
  password: { isNeeded: ({ hasPassword }) => hasPassword, isSent: true },
  // Of any kind, or a recovery code.
  factor: { isNeeded: ({ hasFactor }) => hasFactor, isSent: true },
  provider: {
    isNeeded: ({ hasPassword, hasProvider }) => !hasPassword && hasProvider,
    isSent: false,
  },
  email: {
    isNeeded: ({ hasPassword, hasProvider }) => !hasPassword && !hasProvider,
    isSent: false,
  },
}

export function proofsOf(account: Provable): ProofKind[] {
  return proofKinds.filter((kind) => rules[kind].isNeeded(account))
}

export function canBeSent(kind: ProofKind): boolean {
  return rules[kind].isSent
}

/**
 * Fields of a request: `recovery_code`, and one for each kind of factor, by its name. A value of
 * another type is a wrong proof.
 */
export type SentFactor = Readonly<Record<string, unknown>>

/** Another type is a wrong proof. */
export interface ProofsInput {
  readonly currentPassword?: unknown
  readonly factor: SentFactor
  /** For the password. */
  readonly captcha?: string | undefined
}

export interface ProtectedChangeInput {
  readonly account: Account
  readonly change: ProtectedChange
  readonly sent: ProofsInput
  /**
   * For the confirmation page itself, not consumed. Absent: the proofs that the page has accepted
   * for this change.
   */
  readonly held?: readonly ProofKind[]
}

/** Except the second factor. */
export interface Proven {
  readonly account: Account
  /**
   * Checks the proofs in the transaction of the change. Single use: consumes the page's
   * confirmation.
   */
  readonly guard: Reauthorization
  /**
   * Proves the second factor. Call last, because a code counts once. @throws ApiError invalidCredentials,
   * tooManyLoginAttempts
   */
  factor(): Promise<void>
  /** In the transaction of the change. */
  succeed(trx: DatabaseOrTransaction): Promise<void>
}

export interface Proofs {
  neededOf(account: Account): Promise<ProofKind[]>
  /**
   * A wrong proof counts like a failed login. @throws ApiError confirmationRequired with the
   * missing proofs, before verification; invalidCredentials, tooManyLoginAttempts, captchaRequired
   */
  prove(request: FastifyRequest, wanted: ProtectedChangeInput): Promise<Reauthorization>
  /** For work that decides when the second factor is verified. */
  proveAround<T>(
    request: FastifyRequest,
    wanted: ProtectedChangeInput,
    work: (proven: Proven) => Promise<T>,
  ): Promise<T>
}
