import type { FastifyRequest } from 'fastify'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import type { Reauthorization } from '../../core/http/changes/reauthorize.ts'
import type { Account } from './account.ts'
import { type ProofKind, type ProtectedChange, proofKinds } from './proof-kinds.ts'

/** The means of proof that an account has. */
export interface Provable {
  readonly hasPassword: boolean
  readonly hasFactor: boolean
  /** Whether an identity of a provider that signs in here is linked. */
  readonly hasProvider: boolean
}

interface ProofRule {
  /** Whether the owner of such an account must give this proof. */
  isNeeded(account: Provable): boolean
  /** Whether a request can carry the proof; the confirmation page alone takes the others. */
  readonly isSent: boolean
}

/** The rules of all proofs; no other place decides them. docs/adr/0073 */
const rules: Readonly<Record<ProofKind, ProofRule>> = {
  password: { isNeeded: ({ hasPassword }) => hasPassword, isSent: true },
  // A recovery code stands for a code of the app.
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

/** The proofs that the owner of an account must give for a protected change. */
export function proofsOf(account: Provable): ProofKind[] {
  return proofKinds.filter((kind) => rules[kind].isNeeded(account))
}

/** Whether a request can carry the proof. */
export function canBeSent(kind: ProofKind): boolean {
  return rules[kind].isSent
}

/** The proofs of a request as they were sent: a value of another type is a wrong proof. */
export interface ProofsInput {
  readonly currentPassword?: unknown
  readonly totp?: unknown
  readonly recoveryCode?: unknown
  /** The solution of a challenge, for the password. */
  readonly captcha?: string | undefined
}

export interface ProtectedChangeInput {
  /** The caller's own account. */
  readonly account: Account
  readonly change: ProtectedChange
  readonly sent: ProofsInput
  /**
   * The proofs that the confirmation page has taken, for that page itself, which uses none up. Absent:
   * those that the page has taken for this change.
   */
  readonly held?: readonly ProofKind[]
}

/** A request whose proofs are verified, except the code of the second factor. */
export interface Proven {
  /** As it was read for the password. */
  readonly account: Account
  /**
   * Reauthorizes the caller, and decides in the transaction of the change whether the proofs still count.
   * For one transaction: it uses up the confirmation of the page.
   */
  readonly guard: Reauthorization
  /**
   * Verifies the code if the account has a factor, once the rest of the request is accepted: a code
   * counts once. @throws ApiError invalidCredentials, tooManyLoginAttempts
   */
  code(): Promise<void>
  /** Settles the login attempt of the password in the transaction of the change. */
  succeed(trx: DatabaseOrTransaction): Promise<void>
}

/** Decides whether a request proves enough for a protected change of the caller's own account. */
export interface Proofs {
  /** The proofs that the owner of an account must give for a protected change. */
  neededOf(account: Account): Promise<ProofKind[]>
  /**
   * Verifies the proofs of a request; answers the guard of the change. A wrong proof counts like a
   * failed login.
   * @throws ApiError confirmationRequired with the missing proofs, before any is verified;
   * invalidCredentials for a wrong one; tooManyLoginAttempts, captchaRequired
   */
  prove(request: FastifyRequest, wanted: ProtectedChangeInput): Promise<Reauthorization>
  /** The same around work that decides when the code is verified. */
  proveAround<T>(
    request: FastifyRequest,
    wanted: ProtectedChangeInput,
    work: (proven: Proven) => Promise<T>,
  ): Promise<T>
}
