import type { Database } from '../database/database.ts'
import { lockName, transact } from '../database/transactions.ts'
import { confirmationStore } from './store.ts'

/** A typed code, before it is judged. */
export interface Tried {
  /** The confirmation that it may be of; null: the flow asked in vain, or is unknown. */
  readonly confirmation: string | null
  /** That from which the code is computed. */
  readonly flow: string | null
  /** When the flow asked for it last, in epoch milliseconds; null: it ends with the link. */
  readonly askedAt: number | null
  /** Whether it was mailed, and is not the code of a request beyond a limit. */
  readonly isMailed: boolean
  /** Whether the flow had a try left. */
  readonly isLeft: boolean
}

/** The codes of flows. Each flow has its own tries, so that no one uses up those of another flow. */
export interface Codes {
  /**
   * Counts a try in a transaction of its own, so that it stays counted if the request fails.
   * @param id that of the answer to the beginning
   * @param flow the flow of pages; null: the id is that of a program
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

/** In a flow that has asked for several addresses each has a code of its own. */
function isOf(id: string) {
  return ({ confirmation }: { readonly confirmation: string | null }) =>
    confirmation === id || confirmation === null
}

/** The mails of a node of the version before name no flow, and their tries count together. */
async function ofVersionBefore(
  store: ReturnType<typeof confirmationStore>,
  id: string,
  flow: string | null,
): Promise<Tried> {
  const isLeft = await store.countTry(id, maxTries)
  return { confirmation: id, flow, askedAt: null, isMailed: true, isLeft }
}
