import type { ForeignAccount } from './account.ts'
import { AccountFault } from './account-fault.ts'
import { type ForeignFormat, plain } from './format.ts'
import { type Entry, ldifEntries } from './ldif-entries.ts'

const attributes = [
  ...['dn', 'objectclass', 'uid', 'samaccountname', 'cn', 'displayname', 'givenname', 'sn'],
  ...['mail', 'userpassword', 'memberof', 'entryuuid', 'nsuniqueid', 'objectguid'],
  ...['createtimestamp', 'pwdaccountlockedtime', 'nsaccountlock', 'useraccountcontrol'],
]

/** Entries of people of a directory, as `slapcat` and `ldapsearch -LLL` write them. */
export const ldif: ForeignFormat = {
  records: (pieces) => ldifEntries(pieces, new Set(attributes)),
  converter: plain((entry) => account(entry as Entry)),
}

const disabledInDirectory = 2 // userAccountControl

function account(entry: Entry): ForeignAccount | null {
  const first = (name: string) => entry.get(name)?.[0]
  const username = first('uid') ?? first('samaccountname')
  if (username === undefined) return null // a group, a unit, a device
  const passwords = entry.get('userpassword') ?? []
  if (passwords.length > 1) throw new AccountFault('userPassword', 'has more than one value')
  const control = Number(first('useraccountcontrol') ?? 0)
  return {
    id: first('entryuuid') ?? first('nsuniqueid') ?? first('objectguid') ?? first('dn'),
    username,
    name: first('displayname') ?? first('cn'),
    email: first('mail'),
    hash: passwords[0] === undefined ? undefined : hashOf(passwords[0]),
    roles: entry.get('memberof') ?? [],
    active:
      first('nsaccountlock')?.toLowerCase() !== 'true' && (control & disabledInDirectory) === 0,
    locked: first('pwdaccountlockedtime') !== undefined,
    createdAt: timeOf(first('createtimestamp')),
  }
}

const labelled = /^\{(CRYPT|BCRYPT|ARGON2|PBKDF2(?:-SHA(?:1|256|512))?)\}(.*)$/i

/** In the form of our hashes. A digest keeps its label. */
function hashOf(password: string): string {
  const [, label = '', hash = ''] = labelled.exec(password) ?? []
  const [scheme, digest = 'sha1'] = label.toLowerCase().split('-')
  if (scheme === '') return password.startsWith('{') ? password : noLabel()
  return scheme === 'pbkdf2' ? `$pbkdf2-${digest}$${hash}` : hash
}

function noLabel(): never {
  throw new AccountFault('userPassword', 'has no label such as {SSHA}: it may be a plain password')
}

const generalizedTime = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:\.\d+)?Z$/

function timeOf(text: string | undefined): string | undefined {
  const found = text === undefined ? undefined : generalizedTime.exec(text)
  if (!found) return undefined
  const [, year, month, day, hour, minute, second] = found
  const time = `${year}-${month}-${day}T${hour}:${minute}:${second}Z`
  return Number.isNaN(Date.parse(time)) ? undefined : time
}
