import { DeliveryList } from './delivery-list.tsx'
import { Tabs } from './tabs.tsx'
import { webhooksTexts } from './texts.ts'

/** The deliveries of all webhooks. */
export function Deliveries() {
  const t = webhooksTexts.use()
  return (
    <>
      <div class="heading">
        <h1>{t.deliveries.title}</h1>
      </div>
      <Tabs open="deliveries" />
      <DeliveryList />
    </>
  )
}
