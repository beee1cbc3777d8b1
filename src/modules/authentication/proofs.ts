import type { FastifyRequest } from 'fastify'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import type { Reauthorization } from '../../core/http/changes/reauthorize.ts'
import type { Account } from './account.ts'
import { type ProofKind, type ProtectedChange, proofKinds } from './proof-kinds.ts'

export interface Provable {
  readonly hasPassword: boolean
  readonly hasFactor: boolean
  /** Whether an identity of a configured provider is linked. */
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
  // Recovery codes also count.
  totp: { isNeeded: ({ hasFactor }) => hasFactor, isSent: true },
  provider: {
    isNeeded: ({ hasPassword, hasProvider }) => !hasPassword && hasProvider,
    isSent: false,
  },
  email: {
    isNeeded: ({ hasPassword, hasProvider }) => !hasPassword && !hasProvider,
    isSent: false,
  },
}

/** For a protected change. */
export function proofsOf(account: Provable): ProofKind[] {
  return proofKinds.filter((kind) => rules[kind].isNeeded(account))
}

export function canBeSent(kind: ProofKind): boolean {
  return rules[kind].isSent
}

/** As sent: a value of another type is a wrong proof. */
export interface ProofsInput {
  readonly currentPassword?: unknown
  readonly totp?: unknown
  readonly recoveryCode?: unknown
  /** For the password. */
  readonly captcha?: string | undefined
}

export interface ProtectedChangeInput {
  readonly account: Account
  readonly change: ProtectedChange
  readonly sent: ProofsInput
  /**
   * Proofs for the confirmation page itself, which are not consumed. Absent: the proofs that the
   * page has accepted for this change.
   */
  readonly held?: readonly ProofKind[]
}

/** All proofs are verified except the code of the second factor. */
export interface Proven {
  /** As read for the password. */
  readonly account: Account
  /**
   * Reauthorizes the caller, and checks the proofs in the transaction of the change. Single use:
   * consumes the page's confirmation.
   */
  readonly guard: Reauthorization
  /**
   * Verifies the code of the factor. Call last, because a code counts once. @throws ApiError
   * invalidCredentials, tooManyLoginAttempts
   */
  code(): Promise<void>
  /** Settles the password's login attempt in the transaction of the change. */
  succeed(trx: DatabaseOrTransaction): Promise<void>
}

export interface Proofs {
  neededOf(account: Account): Promise<ProofKind[]>
  /**
   * Verifies the proofs of a request; returns the guard of the change. A wrong proof counts like a
   * failed login.
   * @throws ApiError confirmationRequired with the missing proofs, before verification;
   * invalidCredentials, tooManyLoginAttempts, captchaRequired
   */
  prove(request: FastifyRequest, wanted: ProtectedChangeInput): Promise<Reauthorization>
  /** For work that decides when the code is verified. */
  proveAround<T>(
    request: FastifyRequest,
    wanted: ProtectedChangeInput,
    work: (proven: Proven) => Promise<T>,
  ): Promise<T>
}
