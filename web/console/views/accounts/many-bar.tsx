import { useState } from 'preact/hooks'
import { ActionButton } from '../../components/action-button.tsx'
import { saveFile } from '../../components/save-file.ts'
import { useAddress } from '../../use-address.ts'
import { csvOf } from './csv.ts'
import { ManyDialog } from './many-dialog.tsx'
import { type FoundAccounts, type ListedAccount, queryOf, readAccounts } from './read-accounts.ts'
import { accountsTexts } from './texts.ts'

interface Props {
  readonly page: FoundAccounts
  readonly selected: ReadonlyMap<string, ListedAccount>
  readonly onSelect: (selected: ReadonlyMap<string, ListedAccount>) => void
  readonly onChanged: () => void
}

type Kind = 'lock' | 'unlock' | 'endSessions' | 'giveRole' | 'takeRole'
const kinds: readonly Kind[] = ['lock', 'unlock', 'endSessions', 'giveRole', 'takeRole']
const maxSelected = 10_000
const perPage = 1000

/** What can be done with the selected accounts; it is there while some are selected. */
export function ManyBar({ page, selected, onSelect, onChanged }: Props) {
  const t = accountsTexts.use()
  const { fields } = useAddress()
  const [asked, setAsked] = useState<Kind | null>(null)
  const [found, setFound] = useState<number | null>(null)
  if (selected.size === 0) return null
  const rows = [...selected.values()]
  const isMore = page.next !== null || page.previous !== null

  async function selectMatching(): Promise<void> {
    const all = new Map<string, ListedAccount>()
    let cursor = ''
    setFound(0)
    try {
      do {
        const query = queryOf({ ...fields, limit: String(perPage) }, Date.now())
        const { cursor: _, ...first } = query
        const { signal } = new AbortController()
        const part = await readAccounts({ ...first, ...(cursor !== '' && { cursor }) }, signal)
        for (const row of part.data) if (all.size < maxSelected) all.set(row.username, row)
        cursor = part.next ?? ''
        setFound(all.size)
      } while (cursor !== '' && all.size < maxSelected)
      onSelect(all)
    } finally {
      setFound(null)
    }
  }
  return (
    <section class="many" aria-label={t.selected(selected.size)}>
      <p role="status">
        <strong>{found === null ? t.selected(selected.size) : t.selecting(found)}</strong>
        {selected.size === maxSelected && ` ${t.selectedAtMost(maxSelected)}`}
      </p>
      <div class="actions">
        {kinds.map((kind) => (
          <button key={kind} type="button" class="quiet small" onClick={() => setAsked(kind)}>
            {t.many[kind]}
          </button>
        ))}
        <button type="button" class="quiet small" onClick={() => saveAsCsv(rows)}>
          {t.exportCsv}
        </button>
        <button type="button" class="quiet small" onClick={() => saveAsLines(rows)}>
          {t.exportLines}
        </button>
        {isMore && (
          <ActionButton kind="quiet" isSmall onClick={selectMatching}>
            {t.selectMatching}
          </ActionButton>
        )}
        <button type="button" class="quiet small" onClick={() => onSelect(new Map())}>
          {t.unselect}
        </button>
      </div>
      {asked && (
        <ManyDialog
          kind={asked}
          accounts={rows}
          onClose={(hasChanged) => {
            setAsked(null)
            if (!hasChanged) return
            onSelect(new Map())
            onChanged()
          }}
        />
      )}
    </section>
  )
}

/** Saves accounts as a table. */
export function saveAsCsv(rows: readonly ListedAccount[]): void {
  saveFile('accounts.csv', 'text/csv', csvOf(rows))
}

/** Saves accounts as JSON Lines, as the API shows them. */
export function saveAsLines(rows: readonly ListedAccount[]): void {
  const lines = rows.map((row) => `${JSON.stringify(row)}\n`)
  saveFile('accounts.ndjson', 'application/x-ndjson', lines.join(''))
}
