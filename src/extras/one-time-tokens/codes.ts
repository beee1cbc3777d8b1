import type { Database } from '../../core/database/database.ts'
import { lockName, transact } from '../../core/database/transactions.ts'
import { confirmationStore } from './store.ts'

export interface Tried {
  /** Null: unknown flow, or no confirmation. */
  readonly confirmation: string | null
  readonly flow: string | null
  /** Epoch milliseconds. Null: the code ends with the link. */
  readonly askedAt: number | null
  /** False beyond a limit. */
  readonly isMailed: boolean
  readonly isLeft: boolean
}

/** Tries count per flow, so that a flow cannot exhaust another's. */
export interface Codes {
  /**
   * Counts a try in a separate transaction, so that a failed request counts.
   * @param id the id returned when the code was requested
   * @param flow the page flow; null: a program sends the id
   */
  countTry(id: string, flow: string | null): Promise<Tried>
}

const maxTries = 5

export function createCodes(db: Database): Codes {
  return {
    countTry(id, flow) {
      const name = flow ?? id
      return transact(db, [lockName.confirmations(`tries ${name}`)], async (trx) => {
        const store = confirmationStore(trx)
        const all = await store.mailsOf(name)
        if (all.length === 0) return ofVersionBefore(store, id, flow)
        const mails = flow === null ? all : all.filter(isOf(id))
        const [newest] = mails
        const isLeft = mails.reduce((sum, { tries }) => sum + tries, 0) < maxTries
        await store.countTryOfMail(newest && isLeft ? newest.id : '')
        // A mail to a taken address has no code.
        const withCode = mails.filter(({ confirmation }) => confirmation !== null)
        return {
          confirmation: withCode[0]?.confirmation ?? null,
          flow: name,
          askedAt: withCode[0]?.askedAt ?? null,
          isMailed: withCode.some(({ isDropped }) => !isDropped),
          isLeft,
        }
      })
    },
  }
}

/** A flow may request several addresses, each with a code. */
function isOf(id: string) {
  return ({ confirmation }: { readonly confirmation: string | null }) =>
    confirmation === id || confirmation === null
}

/** The previous version's mails name no flow, so their tries count together. */
async function ofVersionBefore(
  store: ReturnType<typeof confirmationStore>,
  id: string,
  flow: string | null,
): Promise<Tried> {
  const isLeft = await store.countTry(id, maxTries)
  return { confirmation: id, flow, askedAt: null, isMailed: true, isLeft }
}
