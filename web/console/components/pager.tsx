import { frameTexts } from '../frame-texts.ts'
import { useAddress } from '../use-address.ts'

interface Props {
  /** From 1 on, as the API counts. */
  readonly page: number
  readonly limit: number
  readonly total: number
}

/** Goes through the pages of a list with numbers, by `page` of the address; nothing for a single page. */
export function Pager({ page, limit, total }: Props) {
  const t = frameTexts.use().pager
  const { change } = useAddress()
  const last = Math.max(1, Math.ceil(total / limit))
  if (last === 1 && page === 1) return null
  const open = (wanted: number) => change({ page: wanted === 1 ? '' : String(wanted) })
  return (
    <nav class="pager" aria-label={t.pages}>
      <button
        type="button"
        class="quiet small"
        disabled={page <= 1}
        onClick={() => open(Math.min(page - 1, last))}
      >
        {t.previous}
      </button>
      <span>{t.place(page, last)}</span>
      <button
        type="button"
        class="quiet small"
        disabled={page >= last}
        onClick={() => open(page + 1)}
      >
        {t.next}
      </button>
      <span class="muted">{t.rows(total)}</span>
    </nav>
  )
}

/** The page of an address: 1 for what is no number. */
export function pageOf(fields: Readonly<Record<string, string>>): number {
  const page = Number(fields.page)
  return Number.isSafeInteger(page) && page > 0 ? page : 1
}
