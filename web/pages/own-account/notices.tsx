import type { NoticesView } from '../../../src/extras/own-account/pages/views.ts'
import { Table, Time } from '../../components/data.tsx'
import { useTexts } from '../../context.ts'
import { deviceOf } from './device.ts'
import { Back } from './parts.tsx'

/** What happened to the account. */
export function Notices({ view: { notices } }: { view: NoticesView }) {
  const t = useTexts().account
  return (
    <>
      {notices.length === 0 ? (
        <p>{t.noNotices}</p>
      ) : (
        <>
          <p>{t.noticesExplanation}</p>
          <Table
            caption={t.noticesTitle}
            head={[t.what, t.when, t.byWhom, t.device, t.address]}
            rows={notices.map((notice) => [
              t.notices[notice.type],
              <Time key="at" at={notice.at} />,
              t.actors[notice.by],
              notice.address === null ? '' : deviceOf(notice, t),
              notice.address ?? '',
            ])}
          />
        </>
      )}
      <Back />
    </>
  )
}
