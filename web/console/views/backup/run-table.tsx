import { useCommon, useLanguage } from '../../../context.ts'
import { CopyButton } from '../../components/copyable.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Mark } from '../../components/mark.tsx'
import { Pager } from '../../components/pager.tsx'
import { Time } from '../../components/time.tsx'
import { type BackupRun, sizeInWords, stateTones } from './backup-run.ts'
import { backupsTexts } from './texts.ts'

interface Props {
  readonly runs: readonly BackupRun[]
  readonly place: { readonly page: number; readonly limit: number; readonly total: number }
  readonly change: (fields: Readonly<Record<string, string>>) => void
}

/** The runs, the newest first, with what became of each. */
export function RunTable({ runs, place, change }: Props) {
  const t = backupsTexts.use()
  const { inWords } = useCommon()
  const language = useLanguage()
  const columns: Column<BackupRun>[] = [
    { key: 'started', label: t.run, show: ({ started_at: at }) => <Time at={at} /> },
    { key: 'state', label: t.state, show: (run) => <State run={run} /> },
    {
      key: 'took',
      label: t.took,
      show: ({ started_at: from, finished_at: to }) =>
        to === null ? '–' : inWords(Math.max(1, secondsBetween(from, to))),
    },
    {
      key: 'bytes',
      label: t.size,
      isNumber: true,
      show: ({ bytes }) => (bytes === null ? '–' : sizeInWords(bytes, language)),
    },
    { key: 'node', label: t.node, show: ({ node }) => node },
    {
      key: 'file',
      label: t.file,
      show: ({ file, sha256 }) =>
        file !== null && (
          <>
            <code title={sha256 === null ? undefined : `SHA-256: ${sha256}`}>{file}</code>{' '}
            {sha256 !== null && <CopyButton text={sha256} about={t.sha256} label="SHA-256" />}
          </>
        ),
    },
    {
      key: 'restore',
      label: t.restoreThis,
      show: ({ id, state }) =>
        state === 'done' && (
          <button type="button" class="quiet small" onClick={() => change({ restore: String(id) })}>
            {t.restoreThis}
          </button>
        ),
    },
  ]
  return (
    <>
      <DataTable
        caption={t.caption}
        columns={columns}
        rows={runs}
        keyOf={({ id }) => String(id)}
        empty={<p>{t.empty}</p>}
      />
      <Pager page={place.page} limit={place.limit} total={place.total} />
    </>
  )
}

function State({ run: { state, detail } }: { readonly run: BackupRun }) {
  const t = backupsTexts.use()
  return (
    <>
      <span title={state === 'removed' ? t.removedHint : undefined}>
        <Mark tone={stateTones[state]}>{t.states[state]}</Mark>
      </span>
      {detail !== null && (
        <div class="muted" lang="en">
          {detail}
        </div>
      )}
    </>
  )
}

function secondsBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / 1000)
}
