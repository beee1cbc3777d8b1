import { useEffect, useRef } from 'preact/hooks'
import { DefinitionList } from '../../../components/data.tsx'
import { Notice } from '../../../components/messages.tsx'
import { useCommon } from '../../../context.ts'
import { api, dataOf } from '../../api/client.ts'
import type { components } from '../../api/openapi.d.ts'
import { commandLine } from '../../command-line.ts'
import { ActionButton } from '../../components/action-button.tsx'
import { confirmed } from '../../components/confirm.tsx'
import { Copyable } from '../../components/copyable.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { pageOf } from '../../components/pager.tsx'
import { Time } from '../../components/time.tsx'
import { toast } from '../../components/toasts.tsx'
import { WithCode } from '../../components/with-code.tsx'
import { useAddress } from '../../use-address.ts'
import { useLoad } from '../../use-load.ts'
import { useReloadWhile } from '../../use-reload-while.ts'
import { BackupOnce } from './backup-once.tsx'
import type { BackupRun } from './backup-run.ts'
import { isUnderWay } from './backup-run.ts'
import { Restores } from './restores.tsx'
import { RunTable } from './run-table.tsx'
import { backupsTexts } from './texts.ts'

type State = NonNullable<components['schemas']['AdminStatus']['backups']>

const settings = 'BACKUP_DIR=/backups\nBACKUP_PASSPHRASE_FILE=/run/secrets/backup'

/** Whether there is a backup to go back to, or what to do so that there will be one. */
export function BackupState({
  backups,
  onMade,
}: {
  readonly backups: State
  readonly onMade: () => void
}) {
  const t = backupsTexts.use()
  const { inWords } = useCommon()
  if (!backups.enabled) return <NotEnabled onMade={onMade} />
  const { last_at: lastAt, age_seconds: age, every_seconds: every } = backups
  return (
    <>
      {backups.warning !== null && (
        <div role="alert">
          <Notice kind="warning">
            <p>{backups.warning === 'backup_late' ? t.lateNow : t.failedNow(backups.failures)}</p>
            {backups.detail !== null && <pre lang="en">{backups.detail}</pre>}
          </Notice>
        </div>
      )}
      <DefinitionList
        rows={[
          [t.newest, lastAt === null ? t.none : <Time key="last" at={lastAt} />],
          ...(age === null ? [] : [[t.age, inWords(Math.round(age))] as const]),
          ...(every === null ? [] : [[t.every, inWords(every)] as const]),
        ]}
      />
    </>
  )
}

function NotEnabled({ onMade }: { readonly onMade: () => void }) {
  const t = backupsTexts.use()
  return (
    <Notice kind="warning">
      <h2>{t.notEnabled}</h2>
      <p>{t.notEnabledHint}</p>
      <Copyable text={settings} about={t.settings} isBlock />
      <p>
        <WithCode text={t.passphraseHint} />
      </p>
      <h3>{t.byHand}</h3>
      <BackupOnce onMade={onMade} />
    </Notice>
  )
}

const perPage = 20

/** When backups were made and restored, one more now, and how to restore one. */
export function Backups() {
  const t = backupsTexts.use()
  const { fields, change } = useAddress()
  const page = pageOf(fields)
  const runs = useLoad(String(page), (signal) => {
    const params = { query: { page, limit: perPage } }
    return dataOf(api.GET('/api/admin/backups', { params, signal }))
  })
  const newestState = runs.data?.data.map(({ id, state }) => `${id} ${state}`).join() ?? ''
  const status = useLoad(newestState, async (signal) => {
    const { backups, unknown } = await dataOf(api.GET('/api/admin/status', { signal }))
    return { backups, unknown }
  })
  useReloadWhile(runs.data?.data.some(isUnderWay) ?? false, runs)

  async function make(): Promise<void> {
    const { makeTitle: title, makeEffects: effects, make: action } = t
    if (!(await confirmed({ title, effects, action }))) return
    await dataOf(api.POST('/api/admin/backups'))
    toast(t.made)
    if (page === 1) runs.reload()
    else change({ page: '' })
  }
  const isEnabled = status.data?.backups?.enabled ?? false
  return (
    <>
      <div class="heading">
        <h1>{t.title}</h1>
        {isEnabled && <ActionButton onClick={make}>{t.make}</ActionButton>}
      </div>
      <Loaded from={status}>
        {({ backups }) => backups && <BackupState backups={backups} onMade={runs.reload} />}
      </Loaded>
      <Loaded from={runs}>
        {({ data, total }) => (
          <>
            {(isEnabled || total > 0) && (
              <RunTable runs={data} place={{ page, limit: perPage, total }} change={change} />
            )}
            <HowToRestore
              run={
                data.find(({ id }) => String(id) === fields.restore) ??
                data.find(({ state }) => state === 'done')
              }
              isChosen={fields.restore !== undefined}
            />
          </>
        )}
      </Loaded>
      <Restores />
    </>
  )
}

interface Props {
  /** The backup whose file stands in the commands; absent: there is none yet. */
  readonly run: BackupRun | undefined
  /** Whether the reader has just chosen it: the steps are shown then. */
  readonly isChosen: boolean
}

/** The steps of a restore: commands, because it is done while the service is away. */
export function HowToRestore({ run, isChosen }: Props) {
  const t = backupsTexts.use()
  const heading = useRef<HTMLHeadingElement>(null)
  const file = run?.file ?? 'FILE'
  useEffect(() => {
    if (isChosen) heading.current?.focus()
  }, [isChosen, file])
  return (
    <section>
      <h2 ref={heading} tabIndex={-1}>
        {t.restore}
      </h2>
      <p>{t.restoreIntro}</p>
      <ol>
        <li>
          {t.steps.verify}
          <Copyable text={commandLine(`backup verify ${file}`)} about={t.stepCommand} isBlock />
        </li>
        <li>
          {t.steps.restore}
          <Copyable
            text={`DATA_DIR=/var/lib/gatehouse-restored ${commandLine(`restore ${file}`)}`}
            about={t.stepCommand}
            isBlock
          />
        </li>
        <li>{t.steps.start}</li>
      </ol>
      <p>{t.restoreWarning}</p>
    </section>
  )
}
