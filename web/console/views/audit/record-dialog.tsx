import type { ComponentChildren } from 'preact'
import { DefinitionList } from '../../../components/data.tsx'
import { Notice } from '../../../components/messages.tsx'
import { accountPath } from '../../account-path.ts'
import { hasArea } from '../../areas.ts'
import { Dialog } from '../../components/dialog.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Time } from '../../components/time.tsx'
import { useLoad } from '../../use-load.ts'
import { type AuditRecord, auditAddress, readRecord, whyAddress } from './query.ts'
import { Actor, Outcome, Target } from './record-table.tsx'
import { auditTexts } from './texts.ts'

interface Props {
  readonly id: string
  /** The record, if the list below has it. */
  readonly record: AuditRecord | undefined
  readonly onClose: () => void
}

/** One record with all that it holds, and the ways to what belongs to it. */
export function RecordDialog({ id, record, onClose }: Props) {
  const t = auditTexts.use()
  const load = useLoad(id, async (signal) => ({ found: record ?? (await readRecord(id, signal)) }))
  const found = load.data?.found
  return (
    <Dialog title={found ? (t.events[found.type] ?? found.type) : t.record} onClose={onClose}>
      <Loaded from={load}>
        {() => (found ? <Fields of={found} /> : <Notice kind="plain">{t.noRecord}</Notice>)}
      </Loaded>
      <div class="actions">
        <button type="button" class="quiet" onClick={onClose}>
          {t.close}
        </button>
      </div>
    </Dialog>
  )
}

function Fields({ of: record }: { readonly of: AuditRecord }) {
  const t = auditTexts.use()
  const { actor, target, details } = record
  const person = actor.username ?? actor.subject
  const concerned = target?.username ?? target?.user_id
  const named = target?.username ?? actor.username
  const links: readonly (readonly [text: string, address: string | null])[] = [
    [
      t.whyRefused,
      record.outcome === 'failure' && record.request_id ? whyAddress(record.request_id) : null,
    ],
    [t.accountOf(named ?? ''), named && accountPath(named)],
    [t.ofRequest, record.request_id && auditAddress({ request_id: record.request_id })],
    [t.ofActor(person ?? ''), person && auditAddress({ actor: person })],
    [t.ofTarget(String(concerned)), concerned ? auditAddress({ target: String(concerned) }) : null],
    [t.ofAddress, record.address && auditAddress({ address: record.address })],
    [t.ofType, auditAddress({ type: record.type })],
  ]
  const rows: (readonly [string, ComponentChildren])[] = [
    [t.fields.at, <Time key="at" at={record.at} />],
    [t.fields.type, <code key="type">{record.type}</code>],
    [t.fields.outcome, <Outcome key="outcome" of={record} />],
    [t.fields.actor, <Actor key="actor" of={record} />],
    [t.fields.target, target && <Target key="target" of={record} />],
    [t.fields.countSince, record.count_since && <Time key="since" at={record.count_since} />],
    [t.fields.address, record.address],
    [t.fields.proxies, record.proxies.join(', ')],
    [t.fields.userAgent, record.user_agent],
    [t.fields.scheme, record.scheme],
    [t.fields.factors, record.factors.join(', ')],
    [t.fields.request, record.route && `${record.method ?? ''} ${record.route}`],
    [t.fields.status, record.status],
    [t.fields.requestId, record.request_id && <code key="request">{record.request_id}</code>],
    [t.fields.session, record.session && <code key="session">{record.session}</code>],
    [t.fields.token, record.token && <code key="token">{record.token}</code>],
    [t.fields.key, record.key && <code key="key">{record.key}</code>],
    [t.fields.instance, record.instance],
    [t.fields.version, record.version],
    [t.fields.place, `${record.place} · ${record.chain}`],
    [t.fields.number, record.number],
  ]
  return (
    <>
      {record.erased && <Notice kind="plain">{t.erasedHint}</Notice>}
      {record.damaged && <Notice kind="warning">{t.damagedHint}</Notice>}
      <DefinitionList rows={rows.filter(([, value]) => value !== null && value !== '')} />
      {details && Object.keys(details).length > 0 && (
        <>
          <h3>{t.details}</h3>
          <DefinitionList
            rows={Object.entries(details).map(([name, value]) => [
              name,
              <bdi key={name}>{typeof value === 'string' ? value : JSON.stringify(value)}</bdi>,
            ])}
          />
        </>
      )}
      <h3>{t.belongs}</h3>
      <ul>
        {links.map(
          ([text, address]) =>
            address &&
            hasArea(address) && (
              <li key={address}>
                <a href={address}>{text}</a>
              </li>
            ),
        )}
      </ul>
    </>
  )
}
