import { type Column, DataTable } from '../../components/data-table.tsx'
import { DeviceName } from '../../components/device-name.tsx'
import { Mark } from '../../components/mark.tsx'
import { Time } from '../../components/time.tsx'
import type { SectionProps } from './parts.ts'
import type { Session } from './read-account.ts'
import { Section } from './section.tsx'
import { accountTexts } from './texts.ts'

/** Where the account is signed in, with device and address. */
export function SessionsSection({ shown }: SectionProps) {
  const t = accountTexts.use()
  const columns: Column<Session>[] = [
    {
      key: 'device',
      label: t.device,
      show: ({ user_agent, current, kept }) => (
        <>
          <DeviceName userAgent={user_agent} unknown={t.unknownDevice} />{' '}
          {current && <Mark>{t.thisOne}</Mark>} {kept && <Mark>{t.kept}</Mark>}
        </>
      ),
    },
    { key: 'address', label: t.address, show: ({ address }) => address },
    { key: 'begun', label: t.begun, show: ({ created_at }) => <Time at={created_at} /> },
    { key: 'seen', label: t.lastSeen, show: ({ last_seen_at }) => <Time at={last_seen_at} /> },
  ]
  return (
    <Section title={t.sessions}>
      <DataTable
        caption={t.sessionsCaption}
        columns={columns}
        rows={shown.sessions}
        keyOf={({ id }) => id}
        empty={<p>{t.noSessions}</p>}
      />
    </Section>
  )
}
