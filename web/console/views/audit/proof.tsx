import { useEffect, useState } from 'preact/hooks'
import { DefinitionList } from '../../../components/data.tsx'
import { Notice } from '../../../components/messages.tsx'
import { useCommon } from '../../../context.ts'
import { api, dataOf } from '../../api/client.ts'
import type { components } from '../../api/openapi.d.ts'
import { commandLine } from '../../command-line.ts'
import { ActionButton } from '../../components/action-button.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Mark } from '../../components/mark.tsx'
import { Time } from '../../components/time.tsx'
import { toast } from '../../components/toasts.tsx'
import { useAddress } from '../../use-address.ts'
import { useLoad } from '../../use-load.ts'
import { auditAddress } from './query.ts'
import { auditTexts } from './texts.ts'

type State = components['schemas']['AuditVerificationState']

const watchedMs = 2000
const usualMs = 60_000

/** Whether the log is whole, as the last verification found; what it found opens below. */
export function Proof() {
  const t = auditTexts.use().proof
  const [everyMs, setEveryMs] = useState(usualMs)
  const state = useLoad(
    '',
    (signal) => dataOf(api.GET('/api/admin/audit/verification', { signal })),
    { everyMs },
  )
  const isRunning = (state.data?.open ?? null) !== null
  useEffect(() => setEveryMs(isRunning ? watchedMs : usualMs), [isRunning])

  async function verify(): Promise<void> {
    await dataOf(api.POST('/api/admin/audit/verification'))
    toast(t.isAsked)
    state.reload()
  }

  return (
    <Loaded from={state}>
      {(proof) => (
        <details class="proof" open={proof.last?.result?.ok === false}>
          <summary>
            {t.title}: <Result of={proof} />
          </summary>
          <p class="muted">{t.hint}</p>
          {proof.last && <Findings of={proof.last} />}
          <Facts of={proof} />
          <ActionButton kind="quiet" isSmall disabled={isRunning} onClick={verify}>
            {t.verify}
          </ActionButton>
        </details>
      )}
    </Loaded>
  )
}

function Result({ of: { open, last } }: { readonly of: State }) {
  const t = auditTexts.use().proof
  if (open) {
    return (
      <span role="status">
        <Mark tone="warning">{t.state.running}</Mark> {t.soFar(t.records(open.records))}
      </span>
    )
  }
  if (!last) return <Mark>{t.state.never}</Mark>
  if (!last.result) return <Mark tone="warning">{t.state.failed}</Mark>
  const { ok, problem_count: count } = last.result
  return (
    <span role="status">
      <Mark tone={ok ? 'good' : 'bad'}>{ok ? t.state.ok : t.state.bad}</Mark>{' '}
      {ok ? <Time at={last.finished_at ?? last.asked_at} /> : t.problems(count)}
    </span>
  )
}

function Facts({ of: proof }: { readonly of: State }) {
  const t = auditTexts.use().proof
  const { inWords } = useCommon()
  const { last, last_checkpoint: checkpoint, sinks, uncovered_seconds: uncovered } = proof
  const result = last?.result
  const copies = sinks.map(({ name, unsent_seconds: unsent }) =>
    unsent === 0 ? name : t.sinkIsBehind(name, inWords(unsent)),
  )
  return (
    <DefinitionList
      rows={[
        ...(last
          ? [[t.lastVerified, <Time key="at" at={last.finished_at ?? last.asked_at} />] as const]
          : []),
        ...(result
          ? [
              [
                t.found,
                t.checked(
                  t.records(result.checked.records),
                  t.checkpoints(result.checked.checkpoints),
                ),
              ] as const,
              ...(result.erased > 0 ? [[t.erased, t.records(result.erased)] as const] : []),
            ]
          : []),
        [
          t.lastCheckpoint,
          checkpoint ? <Time key="checkpoint" at={checkpoint.at} /> : t.noCheckpoint,
        ],
        ...(uncovered > 0 ? [[t.uncovered, t.uncoveredFor(inWords(uncovered))] as const] : []),
        ...(copies.length > 0 ? [[t.sinks, copies.join(', ')] as const] : []),
      ]}
    />
  )
}

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
