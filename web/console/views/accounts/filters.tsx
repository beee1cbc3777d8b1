import { useState } from 'preact/hooks'
import type { accounts } from '../../../languages/en/console/accounts.ts'
import { SearchField } from '../../components/search-field.tsx'
import { useKnownRoles } from '../../known-roles.ts'
import { useAddress } from '../../use-address.ts'
import { nothing } from './nothing.ts'
import { type FilterName, filterNames } from './read-accounts.ts'
import { accountsTexts } from './texts.ts'

type Choice = readonly [value: string, text: string]

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
            <label key={name}>
              {label}
              <select
                value={fields[name] ?? ''}
                onChange={({ currentTarget }) =>
                  change({ [name]: currentTarget.value, cursor: '' })
                }
              >
                {withPresent(choices, fields[name]).map(([value, text]) => (
                  <option key={value} value={value}>
                    {text}
                  </option>
                ))}
              </select>
            </label>
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

function ProviderField() {
  const t = accountsTexts.use()
  const { fields, change } = useAddress()
  return (
    <label>
      {t.provider}
      <input
        list="provider-choices"
        maxLength={512}
        autocomplete="off"
        spellcheck={false}
        placeholder={t.providerHint}
        value={fields.provider ?? ''}
        onChange={({ currentTarget }) =>
          change({ provider: currentTarget.value.trim(), cursor: '' })
        }
      />
      <datalist id="provider-choices">
        <option value="none">{t.providers.none}</option>
      </datalist>
    </label>
  )
}

function SortField() {
  const t = accountsTexts.use()
  const { fields, change } = useAddress()
  const keys = ['username', 'name', 'created_at', 'last_login_at'] as const
  return (
    <label>
      {t.sortBy}
      <select
        value={fields.sort ?? 'username'}
        onChange={({ currentTarget }) => change({ sort: currentTarget.value, cursor: '' })}
      >
        {keys.flatMap((name) => [
          <option key={name} value={name}>
            {t.columns[name]} ↑
          </option>,
          <option key={`-${name}`} value={`-${name}`}>
            {t.columns[name]} ↓
          </option>,
        ])}
      </select>
    </label>
  )
}

function choicesOf(
  t: typeof accounts,
  roles: readonly string[],
): readonly (readonly [name: FilterName, label: string, choices: readonly Choice[]])[] {
  const any: Choice = ['', t.any]
  const flag: readonly Choice[] = [any, ['yes', t.yes], ['no', t.no]]
  return [
    ['role', t.role, [any, ...roles.map((role): Choice => [role, role])]],
    ['state', t.state, [any, ...Object.entries(t.states)]],
    ['second_factor', t.factor, flag],
    ['last_login', t.lastLogin, Object.entries(t.lastLogins)],
    ['verified', t.verified, flag],
    ['imported', t.imported, flag],
  ]
}

/** A value of the address that is none of the choices is one all the same: it filters. */
function withPresent(choices: readonly Choice[], present = ''): readonly Choice[] {
  return choices.some(([value]) => value === present) ? choices : [...choices, [present, present]]
}
