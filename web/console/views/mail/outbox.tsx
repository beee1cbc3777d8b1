import { useEffect, useState } from 'preact/hooks'
import type { Language } from '../../../../src/core/lib/languages.ts'
import { languages } from '../../../../src/core/lib/languages.ts'
import { useLanguage } from '../../../context.ts'
import { api, dataOf } from '../../api/client.ts'
import type { operations } from '../../api/openapi.d.ts'
import { ActionButton } from '../../components/action-button.tsx'
import { ActionForm } from '../../components/action-form.tsx'
import { confirmed } from '../../components/confirm.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Choice, TextField } from '../../components/fields.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Pager, pageOf } from '../../components/pager.tsx'
import { Time } from '../../components/time.tsx'
import { toast } from '../../components/toasts.tsx'
import { frameTexts } from '../../frame-texts.ts'
import { useAddress } from '../../use-address.ts'
import { useLoad } from '../../use-load.ts'
import { type Mail, Next, Recipient, State } from './mail-cells.tsx'
import { MailFilters, mailFiltersOf } from './mail-filters.tsx'
import { mailTexts } from './texts.ts'

type Query = NonNullable<operations['listMail']['parameters']['query']>

const perPage = 25
const watchedMs = 2000
const usualMs = 30_000
const soonMs = 10_000

/** The mail of the last 30 days; what is on its way is read again and again. */
export function Outbox() {
  const t = mailTexts.use()
  const { fields } = useAddress()
  const filters = mailFiltersOf(fields)
  const page = pageOf(fields)
  const [everyMs, setEveryMs] = useState(usualMs)
  const mails = useLoad(
    JSON.stringify([filters, page]),
    (signal) => {
      // What the address has may be anything: the API refuses what it does not know.
      const query = { ...filters, page, limit: perPage } as Query
      return dataOf(api.GET('/api/admin/mail', { params: { query }, signal }))
    },
    { everyMs },
  )

  const isMoving = mails.data?.data.some(movesSoon) ?? false
  useEffect(() => setEveryMs(isMoving ? watchedMs : usualMs), [isMoving])

  async function resend(mail: Mail): Promise<void> {
    await dataOf(
      api.POST('/api/admin/mail/{id}/resend', { params: { path: { id: mail.id } } }),
    ).finally(mails.reload)
    toast(t.isResent(t.messages[mail.message]))
  }

  async function withdraw(mail: Mail): Promise<void> {
    const message = t.messages[mail.message]
    const isSure = await confirmed({
      title: t.withdrawTitle(message),
      effects: t.withdrawEffects(mail.address ?? mail.username ?? ''),
      action: t.withdraw,
      isDangerous: true,
    })
    if (!isSure) return
    await dataOf(api.DELETE('/api/admin/mail/{id}', { params: { path: { id: mail.id } } })).finally(
      mails.reload,
    )
    toast(t.isWithdrawn(message))
  }

  const columns: Column<Mail>[] = [
    { key: 'message', label: t.fields.message, show: ({ message }) => t.messages[message] },
    { key: 'to', label: t.fields.to, show: (mail) => <Recipient of={mail} /> },
    { key: 'state', label: t.fields.state, show: (mail) => <State of={mail} /> },
    { key: 'created', label: t.fields.created, show: (mail) => <Time at={mail.created_at} /> },
    { key: 'next', label: t.fields.next, show: (mail) => <Next of={mail} /> },
    { key: 'response', label: t.fields.response, show: ({ response }) => response ?? '' },
    {
      key: 'actions',
      label: t.fields.actions,
      show: (mail) => {
        const { state, address } = mail
        const canSend = (state === 'waiting' || state === 'failed') && address !== null
        if (!canSend && state !== 'waiting') return null
        return (
          <span class="row-actions">
            {canSend && (
              <ActionButton kind="quiet" isSmall onClick={() => resend(mail)}>
                {state === 'failed' ? t.resend : t.sendNow}
              </ActionButton>
            )}
            {state === 'waiting' && (
              <ActionButton kind="danger" isSmall onClick={() => withdraw(mail)}>
                {t.withdraw}
              </ActionButton>
            )}
          </span>
        )
      },
    },
  ]
  return (
    <>
      <TestMail onSent={mails.reload} />
      <MailFilters filters={filters} />
      <Loaded from={mails}>
        {({ data, total, limit }) => (
          <>
            <DataTable
              caption={t.caption}
              columns={columns}
              rows={data}
              keyOf={({ id }) => id}
              empty={<p>{Object.keys(filters).length > 0 ? t.emptyFiltered : t.empty}</p>}
            />
            <Pager page={page} limit={limit} total={total} />
          </>
        )}
      </Loaded>
    </>
  )
}

/** Whether its state changes within seconds; another waits for minutes or hours. */
function movesSoon({ state, due_at }: Mail): boolean {
  return state === 'sending' || (due_at !== null && Date.parse(due_at) < Date.now() + soonMs)
}

/** Sends a mail that says that mail arrives; what became of it stands in the list below. */
export function TestMail({ onSent }: { readonly onSent: () => void }) {
  const t = mailTexts.use()
  const { common } = frameTexts.use()
  const [address, setAddress] = useState('')
  const [language, setLanguage] = useState<Language>(useLanguage())
  async function send(): Promise<void> {
    await dataOf(api.POST('/api/admin/mail/test', { body: { address: address.trim(), language } }))
    toast(t.isTested(address.trim()))
    onSent()
  }
  return (
    <details class="test-mail">
      <summary>{t.test}</summary>
      <p>{t.testHint}</p>
      <ActionForm action={t.sendTest} onSubmit={send}>
        {(problemOf) => (
          <>
            <TextField
              name="address"
              label={common.email}
              type="email"
              isRequired
              value={address}
              onChange={setAddress}
              problem={problemOf('address')}
            />
            <Choice
              name="language"
              label={common.language}
              value={language}
              options={languages.map((one) => [one, t.languages[one]] as const)}
              onChange={setLanguage}
            />
          </>
        )}
      </ActionForm>
    </details>
  )
}
