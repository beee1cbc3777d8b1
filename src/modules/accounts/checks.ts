import { setImmediate } from 'node:timers/promises'
import { parseEmail } from '../../core/addresses/email.ts'
import type { Check, Found } from '../../core/checks/check.ts'
import type { InsideContext, ModuleChecks } from '../../core/checks/context.ts'
import { gatehouse } from '../../core/hints/command-line.ts'
import type { Words } from '../../core/lib/languages.ts'
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

const faults: Readonly<Record<ChosenUsernameFault | 'unseen', Words>> = {
  unseen: { en: 'has an invisible character', de: 'enthält ein unsichtbares Zeichen' },
  scripts: { en: 'mixes letters of several scripts', de: 'mischt Buchstaben mehrerer Schriften' },
  address: {
    en: 'is a mail address that the account has not verified',
    de: 'ist eine E-Mail-Adresse, die das Konto nicht bestätigt hat',
  },
  reserved: { en: 'is reserved', de: 'ist reserviert' },
}

interface Kind {
  readonly level: 'warning' | 'info'
  readonly what: Words
  readonly shown: string[]
  total: number
}

const usernames: Check<InsideContext> = {
  id: 'usernames',
  level: 'warning',
  passMessage:
    'no username breaks the rules of new ones, and none is the verified address of another account',
  why: {
    en: 'Such a name was given before these rules, or by an administrator. It can pass for another person or for the operator: in the console, in tokens, and as Remote-User at applications.',
    de: 'Ein solcher Name wurde vor diesen Regeln oder von einem Administrator vergeben. Er kann als andere Person oder als Betreiber gelten: in der Konsole, in Token und als Remote-User bei Anwendungen.',
  },
  mend: {
    do: {
      en: 'Find out who has the account. Lock or delete an account that imitates another one; a name that you have given yourself may stay. A name that is the verified address of another account signs in at POST /login and by Basic, and not on the pages, where the verified address wins: give its owner an account with another name.',
      de: 'Finden Sie heraus, wem das Konto gehört. Sperren oder löschen Sie ein Konto, das ein anderes nachahmt; ein Name, den Sie selbst vergeben haben, darf bleiben. Ein Name, der die bestätigte Adresse eines anderen Kontos ist, meldet bei POST /login und per Basic an, aber nicht auf den Seiten, wo die bestätigte Adresse gewinnt: Geben Sie dem Besitzer ein Konto mit einem anderen Namen.',
    },
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
          {
            en: 'cannot sign in on the pages: it is the verified address of another account',
            de: 'kann sich auf den Seiten nicht anmelden: Der Name ist die bestätigte Adresse eines anderen Kontos',
          },
          'warning',
        )
      }
      last = step.last
      await setImmediate() // SQLite answers synchronously
    }
    const unread: Found = {
      level: 'unknown',
      what: {
        en: `Not checked: the names of accounts behind user ${last}, after ${maxAccounts} accounts.`,
        de: `Nicht geprüft: die Namen der Konten ab Person ${last}; ${maxAccounts} Konten wurden geprüft.`,
      },
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
  what: Words,
  level: Kind['level'] = emailKey === null ? 'info' : 'warning',
): void {
  const key = `${level} ${what.en}`
  const kind = kinds.get(key) ?? { level, what, shown: [], total: 0 }
  kind.total += 1
  if (kind.shown.length < maxShown) kind.shown.push(`${username} (user ${userId})`)
  kinds.set(key, kind)
}

function foundOf({ level, what, shown, total }: Kind): Found {
  const isMore = total > shown.length
  const more = total - shown.length
  const which = total === 1 ? 'One username' : `Each of ${total} usernames`
  const whichDe = total === 1 ? 'Ein Benutzername' : `Jeder von ${total} Benutzernamen`
  return {
    level,
    what: {
      en: `${which} ${what.en}: ${[...shown, ...(isMore ? [`${more} more`] : [])].join(', ')}.`,
      de: `${whichDe} ${what.de}: ${[...shown, ...(isMore ? [`${more} weitere`] : [])].join(', ')}.`,
    },
  }
}
