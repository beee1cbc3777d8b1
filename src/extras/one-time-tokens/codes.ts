import type { Database } from '../../core/database/database.ts'
import { lockName, transact } from '../../core/database/transactions.ts'
import { confirmationStore } from './store.ts'

/** A typed code, before it is judged. */
export interface Tried {
  /** The confirmation to which the code may belong. Null: the flow is unknown, or has no confirmation. */
  readonly confirmation: string | null
  /** The flow from which the code is computed. */
  readonly flow: string | null
  /** When the flow last asked for the code, in epoch milliseconds. Null: the code ends with the link. */
  readonly askedAt: number | null
  /** Whether the code was mailed. A request beyond a limit has a code that is not mailed. */
  readonly isMailed: boolean
  /** Whether the flow had a try left. */
  readonly isLeft: boolean
}

/** The codes of flows. Each flow has its own tries, so that no flow can use up the tries of another. */
export interface Codes {
  /**
   * Counts a try in a transaction of its own, so that it stays counted if the request fails.
   * @param id the id that the answer to the request for the code had
   * @param flow the flow of pages; null: a program sends the id
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
        // A mail without a confirmation, to an address that is taken, has no code.
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

/** Selects the mails of one confirmation. A flow may ask for several addresses, each with its own code. */
function isOf(id: string) {
  return ({ confirmation }: { readonly confirmation: string | null }) =>
    confirmation === id || confirmation === null
}

/** Mails of a node of the previous version name no flow, so their tries count together. */
async function ofVersionBefore(
  store: ReturnType<typeof confirmationStore>,
  id: string,
  flow: string | null,
): Promise<Tried> {
  const isLeft = await store.countTry(id, maxTries)
  return { confirmation: id, flow, askedAt: null, isMailed: true, isLeft }
}
