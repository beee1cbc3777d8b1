import { useAddress } from '../../use-address.ts'
import type { FoundAccounts } from './read-accounts.ts'
import { accountsTexts } from './texts.ts'

const sizes = ['20', '50', '200']

/** The ways to the next page and back, and how many rows a page has. */
export function Pager({ page }: { readonly page: FoundAccounts }) {
  const t = accountsTexts.use()
  const { fields, change } = useAddress()
  const { next, previous, data } = page
  const goTo = (cursor: string | null) => () => change({ cursor: cursor ?? '' })
  return (
    <div class="pager">
      <button type="button" class="quiet small" disabled={!previous} onClick={goTo(previous)}>
        {t.previous}
      </button>
      <button type="button" class="quiet small" disabled={!next} onClick={goTo(next)}>
        {data.length === 0 && next ? t.goOnSearching : t.next}
      </button>
      {fields.cursor !== undefined && (
        <button type="button" class="quiet small" onClick={goTo(null)}>
          {t.first}
        </button>
      )}
      <label class="inline">
        {t.perPage}
        <select
          value={fields.limit ?? '50'}
          onChange={({ currentTarget }) => change({ limit: currentTarget.value, cursor: '' })}
        >
          {sizes.map((size) => (
            <option key={size} value={size}>
              {size}
            </option>
          ))}
        </select>
      </label>
    </div>
  )
}
