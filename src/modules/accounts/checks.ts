import { setImmediate } from 'node:timers/promises'
import { parseEmail } from '../../core/addresses/email.ts'
import type { Check, Found } from '../../core/checks/check.ts'
import type { InsideContext, ModuleChecks } from '../../core/checks/context.ts'
import { gatehouse } from '../../core/hints/command-line.ts'
import {
  type ChosenUsernameFault,
  faultOfChosen,
  newUsername,
  reservedUsernames,
} from './new-username.ts'
import { type NamedAccount, usernameStore } from './username-store.ts'

// 3 ms per step on SQLite.
const stepSize = 1000
const maxAccounts = 1_000_000
const maxShown = 10
const none: ReadonlySet<string> = new Set()

const faults: Readonly<Record<ChosenUsernameFault | 'unseen', string>> = {
  unseen: 'has an invisible character',
  scripts: 'mixes letters of several scripts',
  address: 'is a mail address that the account has not verified',
  reserved: 'is reserved',
}

interface Kind {
  readonly level: 'warning' | 'info'
  readonly what: string
  readonly shown: string[]
  total: number
}

const usernames: Check<InsideContext> = {
  id: 'usernames',
  level: 'warning',
  passMessage:
    'no username breaks the rules of new ones, and none is the verified address of another account',
  why: 'Such a name was given before these rules, or by an administrator. It can pass for another person or for the operator: in the console, in tokens, and as Remote-User at applications.',
  mend: {
    do: 'Find out who has the account. Lock or delete an account that imitates another one; a name that you have given yourself may stay. A name that is the verified address of another account signs in at POST /login and by Basic, and not on the pages, where the verified address wins: give its owner an account with another name.',
    setting: `${gatehouse} account show NAME`,
  },
  async find({ config, db }) {
    const store = usernameStore(db)
    const kinds = new Map<string, Kind>()
    for (const account of await store.namedOneOf([...reservedUsernames(config)])) {
      add(kinds, account, faults.reserved)
    }
    let last: number | null = 0
    for (let read = 0; last !== null && read < maxAccounts; read += stepSize) {
      const step = await store.unusualAfter(last, stepSize)
      for (const account of step.accounts) {
        const fault = faultOf(account)
        if (fault !== null) add(kinds, account, faults[fault])
      }
      const shadowed = await shadowedBy(store, step.accounts)
      for (const account of shadowed) {
        add(
          kinds,
          account,
          'cannot sign in on the pages: it is the verified address of another account',
          'warning',
        )
      }
      last = step.last
      await setImmediate() // SQLite answers synchronously
    }
    const unread: Found = {
      level: 'unknown',
      what: `Not checked: the names of accounts behind user ${last}, after ${maxAccounts} accounts.`,
    }
    return [...[...kinds.values()].map(foundOf), ...(last === null ? [] : [unread])]
  },
}

export const checks: ModuleChecks = { inside: [usernames] }

function faultOf({ username, emailKey }: NamedAccount): keyof typeof faults | null {
  const name = newUsername(username)
  return name === null ? 'unseen' : faultOfChosen(name, none, emailKey)
}

async function shadowedBy(
  store: ReturnType<typeof usernameStore>,
  accounts: readonly NamedAccount[],
): Promise<NamedAccount[]> {
  const addresses = accounts.flatMap((account) => {
    const key = parseEmail(account.username)?.key
    return key === undefined || key === account.emailKey ? [] : [{ account, key }]
  })
  const verified = await store.verifiedAmong(addresses.map(({ key }) => key))
  return addresses.filter(({ key }) => verified.has(key)).map(({ account }) => account)
}

/**
 * Sign-up verifies addresses, so an account without one comes from an administrator or provider: by
 * default only information.
 */
function add(
  kinds: Map<string, Kind>,
  { emailKey, userId, username }: NamedAccount,
  what: string,
  level: Kind['level'] = emailKey === null ? 'info' : 'warning',
): void {
  const key = `${level} ${what}`
  const kind = kinds.get(key) ?? { level, what, shown: [], total: 0 }
  kind.total += 1
  if (kind.shown.length < maxShown) kind.shown.push(`${username} (user ${userId})`)
  kinds.set(key, kind)
}

function foundOf({ level, what, shown, total }: Kind): Found {
  const more = total > shown.length ? [`${total - shown.length} more`] : []
  const which = total === 1 ? 'One username' : `Each of ${total} usernames`
  return { level, what: `${which} ${what}: ${[...shown, ...more].join(', ')}.` }
}
