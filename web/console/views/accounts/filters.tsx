import { useState } from 'preact/hooks'
import { Choice, TextField } from '../../components/fields.tsx'
import { SearchField } from '../../components/search-field.tsx'
import { useAddress } from '../../use-address.ts'
import type { accounts } from './en.ts'
import { useKnownRoles } from './known-roles.ts'
import { nothing } from './nothing.ts'
import { type FilterName, filterNames } from './read-accounts.ts'
import { accountsTexts } from './texts.ts'

type Option = readonly [value: string, text: string]

/** The search, which begins while it is typed, and the filters; the address holds all of them. */
export function Filters() {
  const t = accountsTexts.use()
  const { fields, change } = useAddress()
  const set = filterNames.filter((name) => name !== 'search' && fields[name] !== undefined)
  const [isOpen, setOpen] = useState(set.length > 0)
  const roles = useKnownRoles()
  return (
    <search class="filters">
      <SearchField label={t.search} hint={t.searchHint} />
      <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          {t.filters}
          {set.length > 0 && <span class="muted"> ({t.filtersOn(set.length)})</span>}
        </summary>
        <div class="filter-fields">
          {choicesOf(t, roles).map(([name, label, choices]) => (
            <Choice
              key={name}
              name={name}
              label={label}
              value={fields[name] ?? ''}
              options={withPresent(choices, fields[name])}
              onChange={(value) => change({ [name]: value, cursor: '' })}
            />
          ))}
          <ProviderField key={fields.provider} />
          <SortField />
        </div>
      </details>
      {(set.length > 0 || fields.search !== undefined) && (
        <button type="button" class="quiet small" onClick={() => change(nothing)}>
          {t.clear}
        </button>
      )}
    </search>
  )
}

/** A provider has a name in the settings, or is one that left them: its issuer. */
function ProviderField() {
  const t = accountsTexts.use()
  const { fields, change } = useAddress()
  const [typed, setTyped] = useState(fields.provider ?? '')
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        change({ provider: typed.trim(), cursor: '' })
      }}
      onChange={(event) => event.currentTarget.requestSubmit()}
    >
      <TextField
        name="provider"
        label={t.provider}
        hint={t.providerHint}
        maxLength={512}
        value={typed}
        onChange={setTyped}
      />
    </form>
  )
}

function SortField() {
  const t = accountsTexts.use()
  const { fields, change } = useAddress()
  const keys = ['username', 'name', 'created_at', 'last_login_at'] as const
  const options = keys.flatMap((key): Option[] => [
    [key, `${t.columns[key]} ↑`],
    [`-${key}`, `${t.columns[key]} ↓`],
  ])
  const sort = fields.sort ?? 'username'
  return (
    <Choice
      name="sort"
      label={t.sortBy}
      value={sort}
      options={withPresent(options, sort)}
      onChange={(value) => change({ sort: value, cursor: '' })}
    />
  )
}

function choicesOf(
  t: typeof accounts,
  roles: readonly string[],
): readonly (readonly [name: FilterName, label: string, choices: readonly Option[]])[] {
  const any: Option = ['', t.any]
  const flag: readonly Option[] = [any, ['yes', t.yes], ['no', t.no]]
  return [
    ['role', t.role, [any, ...roles.map((role): Option => [role, role])]],
    ['state', t.state, [any, ...Object.entries(t.states)]],
    ['second_factor', t.factor, flag],
    ['last_login', t.lastLogin, Object.entries(t.lastLogins)],
    ['verified', t.verified, flag],
    ['imported', t.imported, flag],
  ]
}

/** A value of the address that is none of the choices is one all the same: it filters. */
function withPresent(choices: readonly Option[], present = ''): readonly Option[] {
  return choices.some(([value]) => value === present) ? choices : [...choices, [present, present]]
}
