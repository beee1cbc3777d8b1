import { Notice } from '../../../components/messages.tsx'
import type { components } from '../../api/openapi.d.ts'
import { commandLine } from '../../command-line.ts'
import { useAddress } from '../../use-address.ts'
import { auditAddress } from './query.ts'
import { auditTexts } from './texts.ts'

type Verification = components['schemas']['AuditVerification']
type Report = components['schemas']['AuditReport']

/** What a verification has found, and what to do about it. */
export function Findings({ of: { detail, result } }: { readonly of: Verification }) {
  const t = auditTexts.use().proof
  if (!result) return <Notice kind="warning">{t.failedBecause(detail ?? '')}</Notice>
  return (
    <>
      {!result.ok && (
        <div role="alert">
          <Notice kind="warning">
            <p>
              <strong>{t.problems(result.problem_count)}.</strong> {t.todo}
            </p>
            {result.fork && <Fork of={result.fork} />}
            <Problems of={result} />
          </Notice>
        </div>
      )}
      {result.checked.outside === null && <Notice kind="plain">{t.noOutside}</Notice>}
      {result.notes.length > 0 && (
        <ul>
          {result.notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
    </>
  )
}

function Problems({ of: { problems, problem_count: count } }: { readonly of: Report }) {
  const t = auditTexts.use()
  const { fields } = useAddress()
  return (
    <>
      <ul>
        {problems.map(({ what, detail, id, chain, place }, index) => (
          <li key={index}>
            <strong>{t.proof.kinds[what]}:</strong> {detail}
            {chain !== null && place !== null && (
              <span class="muted">
                {' '}
                ({t.fields.place}: {place} · {chain})
              </span>
            )}{' '}
            {id !== null && <a href={auditAddress({ ...fields, record: id })}>{t.record}</a>}
          </li>
        ))}
      </ul>
      {count > problems.length && (
        <p>{t.proof.more(t.proof.problems(count), commandLine('audit verify'))}</p>
      )}
    </>
  )
}

function Fork({ of: fork }: { readonly of: NonNullable<Report['fork']> }) {
  const t = auditTexts.use().proof
  return (
    <p>
      {t.fork(t.checkpoints(fork.lines), fork.from, fork.to)}{' '}
      {fork.restore ? t.forkByRestore : t.forkUnexplained}
    </p>
  )
}
