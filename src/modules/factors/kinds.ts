import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import type { Account } from '../authentication/account.ts'
import type { Amr } from '../authentication/evidence.ts'

declare module '../../core/module/hooks.ts' {
  interface HookPoints {
    /** Accounts can have several factors of several kinds. */
    factorKind: FactorKind
    /** Called in the transaction that stores a factor, because the session has proved the factor. */
    onFactorProved: (
      trx: DatabaseOrTransaction,
      sessionId: string,
      amr: readonly Amr[],
    ) => Promise<void>
  }
}

/** Of a proof that a login by JSON sends. Other purposes name what the proof is for. */
export const loginPurpose = 'login'

export interface FactorKind {
  /** The kind in answers, and the field of a request that proves such a factor. */
  readonly name: string
  /** Tables whose rows the personal data contains as factors. */
  readonly tables: readonly string[]
  /** A proof is worth a password too, as a passkey is. */
  readonly isBothFactors?: true
  /** The proof that a person has typed into its field; default: as it is. */
  typed?(text: string): string
  of(db: DatabaseOrTransaction, userId: number): Promise<readonly StoredFactor[]>
  /**
   * Before the transaction; `prove` gets the result in place of what was sent. @throws ApiError
   * invalidCredentials for a wrong proof, which counts
   */
  verify?(account: Account, sent: unknown, purpose: string): Promise<unknown>
  /**
   * In the transaction that uses the proof up. Returns what the proof adds to a login. @throws
   * ApiError invalidCredentials for a wrong proof, which counts
   */
  prove(trx: DatabaseOrTransaction, account: Account, sent: unknown): Promise<readonly Amr[]>
  remove(trx: DatabaseOrTransaction, userId: number, id: string): Promise<void>
  /**
   * Removes what was added at `since` (epoch milliseconds) or later. Returns whether that was a
   * confirmed factor.
   */
  removeSince(trx: DatabaseOrTransaction, userId: number, since: number): Promise<boolean>
}

export interface StoredFactor {
  /** Unique among all factors of the account. */
  readonly id: string
  /** Given by its owner. */
  readonly name: string | null
  /** An unconfirmed factor proves nothing. */
  readonly isConfirmed: boolean
  /** Epoch milliseconds; null if unconfirmed, and for a TOTP factor of before version 0.9.0. */
  readonly createdAt: number | null
  readonly lastUsedAt: number | null
}

export interface Factor extends StoredFactor {
  readonly kind: string
}

/** What a form sends: the proof of each kind, and the recovery code. */
export function factorOfForm(
  kinds: readonly FactorKind[],
  field: (name: string) => string,
): Readonly<Record<string, string>> {
  const proofs = kinds.map(({ name, typed }) => [name, typed?.(field(name)) ?? field(name)])
  return { ...Object.fromEntries(proofs), recovery_code: field('recovery_code').trim() }
}

/** Oldest first. */
export async function factorsIn(
  db: DatabaseOrTransaction,
  kinds: readonly FactorKind[],
  userId: number,
): Promise<Factor[]> {
  const found: Factor[] = []
  for (const kind of kinds) {
    for (const factor of await kind.of(db, userId)) found.push({ ...factor, kind: kind.name })
  }
  return found.toSorted((a, b) => (a.createdAt ?? 0) - (b.createdAt ?? 0))
}
