import { DefinitionList } from '../../../components/data.tsx'
import { Notice } from '../../../components/messages.tsx'
import { useCommon } from '../../../context.ts'
import type { components } from '../../api/openapi.d.ts'
import { commandLine } from '../../command-line.ts'
import { Copyable } from '../../components/copyable.tsx'
import { Time } from '../../components/time.tsx'
import { WithCode } from '../../components/with-code.tsx'
import { backupsTexts } from './texts.ts'

type State = NonNullable<components['schemas']['AdminStatus']['backups']>

const settings = 'BACKUP_DIR=/backups\nBACKUP_PASSPHRASE_FILE=/run/secrets/backup'

/** Whether there is a backup to go back to, or what to do so that there will be one. */
export function BackupState({ backups }: { readonly backups: State }) {
  const t = backupsTexts.use()
  const { inWords } = useCommon()
  if (!backups.enabled) return <NotEnabled />
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

function NotEnabled() {
  const t = backupsTexts.use()
  return (
    <Notice kind="warning">
      <h2>{t.notEnabled}</h2>
      <p>{t.notEnabledHint}</p>
      <Copyable text={settings} about={t.settings} isBlock />
      <p>
        <WithCode text={t.passphraseHint} />
      </p>
      <p>{t.byHand}</p>
      <Copyable
        text={commandLine('backup /backups/today.backup')}
        about={t.byHandCommand}
        isBlock
      />
    </Notice>
  )
}
