import { useEffect, useRef } from 'preact/hooks'
import { commandLine } from '../../command-line.ts'
import { Copyable } from '../../components/copyable.tsx'
import type { BackupRun } from './backup-run.ts'
import { backupsTexts } from './texts.ts'

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
