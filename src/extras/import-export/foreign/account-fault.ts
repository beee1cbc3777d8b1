import type { Detail } from '../../../core/errors.ts'

/** Throws to refuse an account, with its reason. */
export class AccountFault extends Error {
  readonly details: readonly Detail[]

  constructor(field: string, message: string) {
    super(message)
    this.name = 'AccountFault'
    this.details = [{ path: [field], message }]
  }
}
