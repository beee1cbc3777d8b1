import { refuseField } from '../../core/errors.ts'
import type { Confirmation, Confirmations } from './confirmations.ts'
import type { ConfirmationPurpose } from './purposes.ts'

export type Proof =
  | { readonly token: string }
  | {
      readonly id: string
      readonly code: string
      /** Null for programs. */
      readonly flow: string | null
    }

export interface ProofInput {
  readonly token?: string
  readonly id?: string
  readonly code?: string
}

/** @throws ApiError validationFailed unless there is a token, or an id and a code */
export function proofOf({ token, id, code }: ProofInput): Proof {
  if (token !== undefined && id === undefined && code === undefined) return { token }
  if (token === undefined && id !== undefined && code !== undefined) return { id, code, flow: null }
  return refuseField(['token'], {
    en: 'is required, unless id and code are given',
    de: 'fehlt, wenn id und code nicht angegeben sind',
  })
}

/**
 * The confirmation stays valid. A code counts as a try.
 * @throws ApiError confirmationInvalid
 */
export function openProof(
  confirmations: Pick<Confirmations, 'openByCode' | 'openByToken'>,
  proof: Proof,
  purposes: readonly ConfirmationPurpose[],
): Promise<Confirmation> {
  return 'token' in proof
    ? confirmations.openByToken(proof.token, purposes)
    : confirmations.openByCode(proof.id, proof.code, proof.flow, purposes)
}
