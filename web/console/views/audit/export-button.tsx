import { api, dataOf } from '../../api/client.ts'
import { ActionButton } from '../../components/action-button.tsx'
import { toast } from '../../components/toasts.tsx'
import { type Filters, searchOf } from './query.ts'
import { auditTexts } from './texts.ts'

/** Saves the records of the filters as a file, which the browser itself takes: it may be large. */
export function ExportButton({ filters }: { readonly filters: Filters }) {
  const t = auditTexts.use()
  async function save(): Promise<void> {
    // A download shows no refusal: that the session is there is asked first, and a login in place.
    await dataOf(api.GET('/api/session'))
    const link = document.createElement('a')
    link.href = `/api/admin/audit/export?${searchOf(filters)}`
    link.download = `audit-${new Date().toISOString().slice(0, 10)}.jsonl`
    link.click()
    toast(t.isExporting)
  }
  return (
    <ActionButton kind="quiet" isSmall onClick={save}>
      {t.export}
    </ActionButton>
  )
}
