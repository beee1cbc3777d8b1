import { api, dataOf } from '../../api/client.ts'
import { ActionButton } from '../../components/action-button.tsx'
import { Time } from '../../components/time.tsx'
import { useLoad } from '../../use-load.ts'
import { ImportForm } from './import-form.tsx'
import { importsTexts } from './texts.ts'

const exportPath = '/api/admin/export/accounts'

/** The import of accounts, first as a dry run; the imports under way; the export of all accounts. */
export function Imports() {
  const t = importsTexts.use()
  return (
    <>
      <h1>{t.title}</h1>
      <section aria-labelledby="import">
        <h2 id="import">{t.import}</h2>
        <ImportForm />
        <UnderWay />
      </section>
      <section aria-labelledby="export">
        <h2 id="export">{t.export}</h2>
        <p>{t.exportHint}</p>
        <ActionButton kind="quiet" onClick={exportAll}>
          {t.exportAction}
        </ActionButton>
      </section>
    </>
  )
}

/** The browser saves the file by itself; first the session is asked for, so that no refusal is saved. */
async function exportAll(): Promise<void> {
  await dataOf(api.GET('/api/session'))
  const link = document.createElement('a')
  link.href = exportPath
  link.download = 'accounts.ndjson'
  link.click()
}

/** What is imported now, from here, from elsewhere and from the command line. */
function UnderWay() {
  const t = importsTexts.use()
  const load = useLoad('', (signal) => dataOf(api.GET('/api/admin/imports', { signal })), {
    everyMs: 3000,
  })
  const all = load.data?.data ?? []
  if (all.length === 0) return null
  return (
    <section aria-labelledby="under-way">
      <h3 id="under-way">{t.underWay}</h3>
      <ul>
        {all.map(({ id, dry_run, started_at, lines }) => (
          <li key={id}>
            {dry_run ? t.aDryRun : t.anImport}: {t.linesRead(lines)}
            {started_at !== null && (
              <>
                , {t.since} <Time at={started_at} />
              </>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}
