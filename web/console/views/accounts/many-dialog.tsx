import { useRef, useState } from 'preact/hooks'
import { useCommon } from '../../../context.ts'
import { Dialog } from '../../components/dialog.tsx'
import { Choice } from '../../components/fields.tsx'
import { session } from '../../session/session.ts'
import { useKnownRoles } from './known-roles.ts'
import { doWithMany, hasEffect, inverseOf, type ManyAction, type ManyProgress } from './many.ts'
import { ManyReport } from './many-report.tsx'
import type { ListedAccount } from './read-accounts.ts'
import { accountsTexts } from './texts.ts'

interface Props {
  readonly kind: ManyAction['kind']
  readonly accounts: readonly ListedAccount[]
  /** With whether anything was begun. */
  readonly onClose: (hasChanged: boolean) => void
}

interface Run {
  readonly action: ManyAction
  readonly progress: ManyProgress
  readonly isRunning: boolean
}

/** Says what an action on many accounts will do, does it with progress, and reports. */
export function ManyDialog({ kind, accounts, onClose }: Props) {
  const t = accountsTexts.use()
  const common = useCommon()
  const [role, setRole] = useState('USER')
  const roles = useKnownRoles()
  const [run, setRun] = useState<Run | null>(null)
  const stop = useRef(new AbortController())
  const action: ManyAction = kind === 'giveRole' || kind === 'takeRole' ? { kind, role } : { kind }
  const own = session.value?.username
  const others = accounts.filter(({ username }) => username !== own)
  const wanted = others.filter((account) => hasEffect(action, account))

  async function start(what: ManyAction, whom: readonly ListedAccount[]): Promise<void> {
    stop.current = new AbortController()
    const { signal } = stop.current
    await doWithMany(what, whom, {
      signal,
      report: (progress) => setRun({ action: what, progress, isRunning: true }),
    })
    setRun((before) => before && { ...before, isRunning: false })
  }
  function close(): void {
    stop.current.abort()
    onClose(run !== null)
  }
  const title = t.manyTitles[run?.action.kind ?? kind](t.found(others.length))
  if (run) {
    const { action: done, progress, isRunning } = run
    const inverse = inverseOf(done)
    return (
      <Dialog title={title} onClose={close}>
        <ManyReport progress={progress} isRunning={isRunning} />
        <div class="actions">
          {isRunning && (
            <button type="button" class="danger" onClick={() => stop.current.abort()}>
              {t.stop}
            </button>
          )}
          {!isRunning && progress.failed.length + progress.left.length > 0 && (
            <button type="button" onClick={() => start(done, unfinished(progress))}>
              {t.retry}
            </button>
          )}
          {!isRunning && inverse && progress.done.length > 0 && (
            <button type="button" class="quiet" onClick={() => start(inverse, progress.done)}>
              {t.undo}
            </button>
          )}
          <button type="button" class="quiet" disabled={isRunning} onClick={close}>
            {t.close}
          </button>
        </div>
      </Dialog>
    )
  }
  return (
    <Dialog title={title} onClose={close}>
      {'role' in action && (
        <Choice
          name="role-of-many"
          label={t.whichRole}
          value={role}
          options={roles.map((name) => [name, name] as const)}
          onChange={setRole}
        />
      )}
      <ul>
        {t.manyEffects[kind].map((effect) => (
          <li key={effect}>{effect}</li>
        ))}
        {wanted.length < others.length && <li>{t.nothingToDo(others.length - wanted.length)}</li>}
        {others.length < accounts.length && <li>{t.ownIsLeftOut}</li>}
        <li>{t.oneAfterAnother}</li>
      </ul>
      <div class="actions">
        <button type="button" disabled={wanted.length === 0} onClick={() => start(action, wanted)}>
          {t.start}
        </button>
        <button type="button" class="quiet" onClick={close}>
          {common.cancel}
        </button>
      </div>
    </Dialog>
  )
}

function unfinished({ failed, left }: ManyProgress): readonly ListedAccount[] {
  return [...failed.map(({ account }) => account), ...left]
}
