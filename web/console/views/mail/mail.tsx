import { useLocation } from 'preact-iso'
import { Outbox } from './outbox.tsx'
import { Previews } from './previews.tsx'
import { mailTexts } from './texts.ts'

const tabs = [
  { id: 'outbox', path: '/admin/mail', View: Outbox },
  { id: 'previews', path: '/admin/mail/previews', View: Previews },
] as const

/** The mail of the service: what waits and what was sent, and how each message reads. */
export function Mail() {
  const t = mailTexts.use()
  const { path } = useLocation()
  const open = tabs.find((tab) => tab.path === path) ?? tabs[0]
  return (
    <>
      <h1>{t.title}</h1>
      <ul class="tabs">
        {tabs.map(({ id, path: href }) => (
          <li key={id}>
            <a href={href} {...(id === open.id && { 'aria-current': 'page' as const })}>
              {t.tabs[id]}
            </a>
          </li>
        ))}
      </ul>
      <open.View />
    </>
  )
}
