import { deliveriesPath, webhooksPath } from './paths.ts'
import { webhooksTexts } from './texts.ts'

/** The two lists: webhooks, and what was sent to all of them. */
export function Tabs({ open }: { readonly open: 'webhooks' | 'deliveries' }) {
  const t = webhooksTexts.use()
  const tabs = [
    { id: 'webhooks', href: webhooksPath, text: t.title },
    { id: 'deliveries', href: deliveriesPath, text: t.deliveries.title },
  ]
  return (
    <ul class="tabs">
      {tabs.map(({ id, href, text }) => (
        <li key={id}>
          <a href={href} {...(id === open && { 'aria-current': 'page' as const })}>
            {text}
          </a>
        </li>
      ))}
    </ul>
  )
}
