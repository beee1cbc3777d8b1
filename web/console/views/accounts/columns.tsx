import { useState } from 'preact/hooks'
import { AccountLink } from '../../components/account-link.tsx'
import type { Column } from '../../components/data-table.tsx'
import { Time } from '../../components/time.tsx'
import { keep, kept } from '../../kept.ts'
import { standingOf } from '../account/standing.ts'
import { StandingMarks } from '../account/standing-marks.tsx'
import type { accounts } from './en.ts'
import type { ListedAccount } from './read-accounts.ts'
import { accountsTexts } from './texts.ts'

type Texts = typeof accounts
type Name = keyof Texts['columns']

const usual: readonly Name[] = [
  'username',
  'name',
  'roles',
  'state',
  'second_factor',
  'last_login_at',
  'created_at',
]
const key = 'gatehouse-account-columns'
/** The others are on the page of the account. */
const onPhone: readonly Name[] = ['username', 'name', 'state', 'last_login_at']
const sortable: readonly Name[] = ['username', 'name', 'created_at', 'last_login_at']

interface Columns {
  readonly chosen: readonly Name[]
  choose(names: readonly Name[]): void
}

/** The columns that the reader has chosen, which this browser keeps: they are no part of a link. */
export function useColumns(): Columns {
  const [chosen, setChosen] = useState(stored)
  return {
    chosen,
    choose(names) {
      keep(key, names.join(' '))
      setChosen(names)
    },
  }
}

/** The columns of the table; the username is always the first. */
export function columnsOf(chosen: readonly Name[], t: Texts): Column<ListedAccount>[] {
  const names = namesOf(t).filter((name) => name === 'username' || chosen.includes(name))
  return names.map((name) => ({
    key: name,
    label: t.columns[name],
    show: (row) => cell(name, row, t),
    isSortable: sortable.includes(name),
    isNumber: name === 'user_id' || name === 'identities',
    isMinor: !onPhone.includes(name),
  }))
}

/** A box for each column. */
export function ColumnChoice({ chosen, choose }: Columns) {
  const t = accountsTexts.use()
  return (
    <details class="menu">
      <summary>{t.chooseColumns}</summary>
      <fieldset class="choices">
        <legend class="said">{t.chooseColumns}</legend>
        {namesOf(t)
          .filter((name) => name !== 'username')
          .map((name) => (
            <label key={name} class="check">
              <input
                type="checkbox"
                checked={chosen.includes(name)}
                onChange={({ currentTarget: { checked } }) =>
                  choose(checked ? [...chosen, name] : chosen.filter((other) => other !== name))
                }
              />
              {t.columns[name]}
            </label>
          ))}
      </fieldset>
      <button type="button" class="quiet small" onClick={() => choose(usual)}>
        {t.usualColumns}
      </button>
    </details>
  )
}

function cell(name: Name, row: ListedAccount, t: Texts) {
  switch (name) {
    case 'username':
      return <AccountLink name={row.username} />
    case 'name':
    case 'email':
      return <Cut>{row[name]}</Cut>
    case 'verified_email':
      return row.verified_email === null ? t.never : <Cut>{row.verified_email}</Cut>
    case 'roles':
      return row.roles.join(', ')
    case 'state':
      return <StandingMarks states={standingOf(row)} />
    case 'second_factor':
    case 'imported':
      return row[name] ? t.yes : t.no
    case 'identities':
    case 'user_id':
      return row[name]
    case 'last_login_at':
      return row.last_login_at === null ? t.never : <Time at={row.last_login_at} />
    case 'created_at':
      return <Time at={row.created_at} />
  }
}

/** A text of one line, cut where there is no room. */
function Cut({ children }: { readonly children: string }) {
  return (
    <span class="cut" title={children}>
      <bdi>{children}</bdi>
    </span>
  )
}

function namesOf(t: Texts): readonly Name[] {
  return Object.keys(t.columns) as Name[] // an object of the texts has no other keys
}

function stored(): readonly Name[] {
  const names: readonly string[] = kept(key)?.split(' ') ?? usual
  const known: readonly Name[] = [...usual, ...others]
  return known.filter((name) => names.includes(name))
}

const others: readonly Name[] = ['email', 'verified_email', 'identities', 'imported', 'user_id']
