import { api, dataOf } from '../../api/client.ts'
import type { components } from '../../api/openapi.d.ts'
import { commandLine } from '../../command-line.ts'
import { ActionButton } from '../../components/action-button.tsx'
import { Copyable } from '../../components/copyable.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Mark, type Tone } from '../../components/mark.tsx'
import { Time } from '../../components/time.tsx'
import { useLoad } from '../../use-load.ts'
import { doctorTexts } from './texts.ts'

type Report = components['schemas']['DoctorReport']
type Finding = components['schemas']['DoctorFinding']

const tones: Readonly<Record<Finding['level'], Tone>> = {
  error: 'bad',
  warning: 'warning',
  info: 'plain',
  unknown: 'warning',
}

/** What is wrong with this deployment, the worst first, each with what mends it. */
export function Doctor() {
  const t = doctorTexts.use()
  const report = useLoad('', readReport)
  return (
    <>
      <div class="heading">
        <h1>{t.title}</h1>
        <ActionButton onClick={async () => report.replace(await readReport())}>
          {t.again}
        </ActionButton>
      </div>
      <p class="muted">{t.intro}</p>
      <Loaded from={report}>{(data) => <Findings report={data} />}</Loaded>
      <h2>{t.outside}</h2>
      <p>{t.outsideHint}</p>
      <Copyable
        text={commandLine(`doctor --outside ${location.origin}`)}
        about={t.outsideCommand}
        isBlock
      />
    </>
  )
}

function readReport(signal?: AbortSignal): Promise<Report> {
  return dataOf(api.GET('/api/admin/doctor', signal ? { signal } : {}))
}

function Findings({ report }: { readonly report: Report }) {
  const t = doctorTexts.use()
  const { errors, warnings, advice, unknown, checks, findings } = report
  const counts = [
    ['error', errors],
    ['warning', warnings],
    ['info', advice],
    ['unknown', unknown],
  ] as const
  return (
    <>
      <p>
        {t.checkedAt}: <Time at={report.checked_at} />. {t.checks(checks)}:{' '}
        {findings.length === 0
          ? t.allWell
          : counts
              .filter(([, count]) => count > 0)
              .map(([level, count]) => (
                <span key={level} title={t.meanings[level]}>
                  <Mark tone={tones[level]}>{t.counts[level](count)}</Mark>{' '}
                </span>
              ))}
      </p>
      {findings.map((finding) => (
        <FindingShown key={`${finding.check} ${finding.what}`} finding={finding} />
      ))}
    </>
  )
}

function FindingShown({
  finding: { check, level, what, why, mend },
}: {
  readonly finding: Finding
}) {
  const t = doctorTexts.use()
  const lines = [
    ['setting', mend.setting],
    ['nginx', mend.nginx],
    ['caddy', mend.caddy],
  ] as const
  return (
    <article class="finding tile">
      <h2>
        <Mark tone={tones[level]}>{t.levels[level]}</Mark> {what}
      </h2>
      <p>
        <span class="muted">{t.why}: </span>
        {why}
      </p>
      <p>
        <span class="muted">{t.mend}: </span>
        {mend.do}
      </p>
      {lines.map(
        ([kind, text]) =>
          text !== null && (
            <div key={kind}>
              {kind !== 'setting' && <p class="muted">{t[kind]}:</p>}
              <Copyable text={text} about={`${t[kind]}, ${t.lines}`} isBlock />
            </div>
          ),
      )}
      <p class="muted">
        <code>{check}</code>
      </p>
    </article>
  )
}
