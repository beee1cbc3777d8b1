import { useLocation } from 'preact-iso'
import { Deliveries } from './deliveries.tsx'
import { DeliveryPage } from './delivery-page.tsx'
import { EditWebhook } from './edit-webhook.tsx'
import { NewWebhook } from './new-webhook.tsx'
import { webhooksPath } from './paths.ts'
import { WebhookList } from './webhook-list.tsx'
import { WebhookPage } from './webhook-page.tsx'

/** The views below /admin/webhooks. Each has a key, so that no data of another stands in it. */
export function Webhooks() {
  const { path } = useLocation()
  const [first = '', second = ''] = path.slice(webhooksPath.length + 1).split('/')
  if (first === '') return <WebhookList />
  if (first === 'new') return <NewWebhook />
  if (first === 'deliveries') {
    return second === '' ? <Deliveries /> : <DeliveryPage key={second} id={Number(second)} />
  }
  if (second === 'edit') return <EditWebhook key={first} id={first} />
  return <WebhookPage key={first} id={first} />
}
