import type { NoticesView, NoticesViews } from '../../../src/extras/mail/views.ts'
import { Address, Table, Time } from '../../components/data.tsx'
import { useLanguage, useTexts } from '../../context.ts'
import { deviceOf } from '../own-account/device.ts'
import { Back } from '../own-account/outcome.tsx'
import type { PagesOf } from '../page.ts'

export const pages: PagesOf<NoticesViews> = {
  'account-notices': {
    title: (_view, { notices }) => notices.noticesTitle,
    Content: Notices,
    isWide: true,
  },
}

/** What happened to the account. */
function Notices({ view: { notices } }: { view: NoticesView }) {
  const { account, notices: t } = useTexts()
  const language = useLanguage()
  return (
    <>
      {notices.length === 0 ? (
        <p>{t.noNotices}</p>
      ) : (
        <>
          <p>{t.noticesExplanation}</p>
          <Table
            caption={t.noticesTitle}
            head={[t.what, t.when, t.byWhom, account.device, account.address]}
            rows={notices.map((notice) => [
              notice.words?.[language] ?? t.notices[notice.type],
              <Time key="at" at={notice.at} />,
              t.actors[notice.by],
              notice.address === null ? '' : deviceOf(notice, account),
              notice.address === null ? '' : <Address key="address" of={notice.address} />,
            ])}
          />
        </>
      )}
      <Back />
    </>
  )
}
