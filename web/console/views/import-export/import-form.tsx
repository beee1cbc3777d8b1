import { useEffect, useRef, useState } from 'preact/hooks'
import { useCommon } from '../../../context.ts'
import { ApiProblem } from '../../api/problem.ts'
import { confirmed } from '../../components/confirm.tsx'
import { UserText } from '../../components/user-text.tsx'
import { frameTexts } from '../../frame-texts.ts'
import { wordsOf } from '../../problem-words.ts'
import { LoginDeclined } from '../../session/ask-for-login.ts'
import { DryRun } from './dry-run.tsx'
import { type ImportReport, sendImport } from './send-import.ts'
import { importsTexts } from './texts.ts'

const previewLines = 100

type State =
  | { readonly step: 'chosen' }
  | { readonly step: 'sending'; readonly isDryRun: boolean; readonly share: number }
  | { readonly step: 'reported'; readonly report: ImportReport }
  | { readonly step: 'failed'; readonly isDryRun: boolean; readonly problem: unknown }

/** Chooses a file, shows what an import of it would do, and imports it. */
export function ImportForm() {
  const t = importsTexts.use()
  const common = useCommon()
  const frame = frameTexts.use()
  const [file, setFile] = useState<File | null>(null)
  const [state, setState] = useState<State>({ step: 'chosen' })
  const giveUp = useRef(new AbortController())
  const isSending = state.step === 'sending'
  // Who leaves the page ends what is under way: the browser asks first, and nothing is stored.
  useEffect(() => {
    if (!isSending) return
    const ask = (event: Event) => event.preventDefault()
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [isSending])
  useEffect(() => () => giveUp.current.abort(), [])

  async function send(chosen: File, isDryRun: boolean): Promise<void> {
    giveUp.current = new AbortController()
    setState({ step: 'sending', isDryRun, share: 0 })
    try {
      const report = await sendImport(chosen, {
        isDryRun,
        ...(isDryRun && { preview: previewLines }),
        signal: giveUp.current.signal,
        onSent: (share) => setState({ step: 'sending', isDryRun, share }),
      })
      setState({ step: 'reported', report })
    } catch (problem) {
      const isGivenUp = giveUp.current.signal.aborted || problem instanceof LoginDeclined
      setState(isGivenUp ? { step: 'chosen' } : { step: 'failed', isDryRun, problem })
    }
  }
  async function importIt(chosen: File, { lines }: ImportReport): Promise<void> {
    const effects = [t.imports(lines), ...t.importEffects]
    const question = { title: t.importTitle(lines), effects, action: t.importAction }
    if (await confirmed(question)) await send(chosen, false)
  }
  return (
    <>
      <p>{t.hint}</p>
      <pre>{columns}</pre>
      <p>{t.hintJson}</p>
      <pre>{example}</pre>
      <div class="field">
        <label for="import-file">{t.file}</label>
        <input
          id="import-file"
          type="file"
          accept=".csv,.tsv,.ndjson,.jsonl,.json,.txt,text/csv,application/json,application/x-ndjson"
          disabled={isSending}
          onChange={({ currentTarget }) => {
            setFile(currentTarget.files?.[0] ?? null)
            setState({ step: 'chosen' })
          }}
        />
      </div>
      {file !== null && !isSending && (
        <div class="actions">
          <button
            type="button"
            class={state.step === 'chosen' ? undefined : 'quiet'}
            onClick={() => send(file, true)}
          >
            {state.step === 'chosen' ? t.check : t.checkAgain}
          </button>
        </div>
      )}
      {state.step === 'sending' && (
        <div role="status">
          <p>{state.isDryRun ? t.checking : t.importing}</p>
          <progress max={1} value={state.share} aria-label={t.sent(state.share)} />
          <p class="muted">{state.share < 1 ? t.sent(state.share) : t.works}</p>
          <button type="button" class="danger" onClick={() => giveUp.current.abort()}>
            {common.cancel}
          </button>
        </div>
      )}
      {state.step === 'failed' && (
        <div class="notice bad" role="alert">
          <p>{wordsOf(state.problem, frame)}</p>
          <p>{hasStoredNothing(state) ? t.nothingStored : t.maybeStored}</p>
        </div>
      )}
      {state.step === 'reported' && file !== null && (
        <Report report={state.report} importIt={() => importIt(file, state.report)} />
      )}
    </>
  )
}

/** A refusal stores nothing; an answer that was lost tells nothing of what was done before it. */
function hasStoredNothing({ isDryRun, problem }: State & { readonly step: 'failed' }): boolean {
  return (
    isDryRun || (problem instanceof ApiProblem && problem.status >= 400 && problem.status < 500)
  )
}

const columns = 'username,roles,name,email,password_hash'
const example =
  '{"username":"bea","password_hash":"$2b$12$…","roles":["USER"],"name":"Bea","email":"bea@example.org"}'

interface ReportProps {
  readonly report: ImportReport
  readonly importIt: () => Promise<void>
}

function Report({ report, importIt }: ReportProps) {
  const t = importsTexts.use()
  const { dry_run, lines, imported, errors_total, ignored_columns = [] } = report
  if (!dry_run) {
    return (
      <div class="notice good" role="status">
        <p>{t.isImported(imported)}</p>
        <p>
          <a href="/admin/accounts?imported=yes&sort=-created_at">{t.showImported}</a>
        </p>
      </div>
    )
  }
  const isGood = errors_total === 0 && lines > 0
  return (
    <>
      <div class={`notice ${isGood ? 'good' : 'warning'}`} role="status">
        <p>{lines === 0 ? t.noLines : isGood ? t.allGood(lines) : t.mistakes(errors_total)}</p>
        {!isGood && <p>{t.allOrNone}</p>}
        {ignored_columns.length > 0 && (
          <p>
            {t.ignored} <UserText>{ignored_columns.join(', ')}</UserText>
          </p>
        )}
      </div>
      {isGood && (
        <div class="actions">
          <button type="button" onClick={importIt}>
            {t.importLines(lines)}
          </button>
        </div>
      )}
      <DryRun report={report} />
    </>
  )
}
