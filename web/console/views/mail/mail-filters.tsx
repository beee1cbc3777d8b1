import { useEffect, useRef } from 'preact/hooks'
import { useAddress } from '../../use-address.ts'
import { mailTexts } from './texts.ts'

const names = ['state', 'message', 'username'] as const
export type Filters = Readonly<Partial<Record<(typeof names)[number], string>>>

/** The filters of an address, without what else stands in it. */
export function mailFiltersOf(fields: Readonly<Record<string, string>>): Filters {
  return Object.fromEntries(
    names.filter((name) => fields[name]).map((name) => [name, fields[name]]),
  )
}

/** Chooses mails; what is chosen stands in the address. A choice counts at once, a name with Enter. */
export function MailFilters({ filters }: { readonly filters: Filters }) {
  const t = mailTexts.use()
  const { change } = useAddress()
  const name = useRef<HTMLInputElement>(null)
  const { username = '' } = filters
  // The address changes by links and by the history, too.
  useEffect(() => {
    if (name.current && name.current.value !== username) name.current.value = username
  }, [username])

  const choose = (wanted: Filters) =>
    change({ username: name.current?.value.trim() ?? '', ...wanted, page: '' })
  const choice = (field: 'state' | 'message', words: Readonly<Record<string, string>>) => (
    <div class="field">
      <label for={`filter-${field}`}>{t.fields[field]}</label>
      <select
        id={`filter-${field}`}
        value={filters[field] ?? ''}
        onChange={({ currentTarget }) => choose({ [field]: currentTarget.value })}
      >
        <option value="">{t.all}</option>
        {Object.entries(words).map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </div>
  )
  return (
    <form
      class="filters"
      aria-label={t.filtersLabel}
      onSubmit={(event) => {
        event.preventDefault()
        choose({})
      }}
    >
      {choice('state', t.states)}
      {choice('message', t.messages)}
      <div class="field">
        <label for="filter-username">{t.account}</label>
        <input
          id="filter-username"
          ref={name}
          type="search"
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
        />
      </div>
      <div class="pager">
        <button type="submit" class="small">
          {t.show}
        </button>
        {Object.keys(filters).length > 0 && (
          <button
            type="button"
            class="quiet small"
            onClick={() => choose({ state: '', message: '', username: '' })}
          >
            {t.clear}
          </button>
        )}
      </div>
    </form>
  )
}
