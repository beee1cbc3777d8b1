import { eventType } from '../../core/events/types.ts'

/** An endpoint by its id, and the origin of its address: the path may hold a secret of the receiver. */
type EndpointFields = { readonly webhook: string; readonly origin: string }

type Settings = {
  readonly events: readonly string[]
  readonly content: 'ids' | 'full'
  readonly state: 'enabled' | 'disabled' | 'failed'
}

/** An administrator has events sent to an address. */
export const webhookCreated = eventType<EndpointFields & Settings>('webhook_created')

/** `changed` names the fields that differ; the others stand as they are now. */
export const webhookChanged = eventType<
  EndpointFields & Settings & { readonly changed: readonly string[] }
>('webhook_changed')

/** Its deliveries that waited are not sent any more. */
export const webhookRemoved = eventType<EndpointFields>('webhook_removed')

/** Messages are signed with the secret before as well until `previous_until`, in epoch milliseconds. */
export const webhookSecretRotated = eventType<EndpointFields & { readonly previous_until: number }>(
  'webhook_secret_rotated',
)

/** An administrator has a message sent that says that messages arrive. */
export const webhookTested = eventType<{ readonly webhook: string; readonly message: string }>(
  'webhook_tested',
)

/** An administrator has deliveries sent again, or at once. */
export const webhookDeliveriesRepeated = eventType<{
  readonly webhook: string
  readonly deliveries: number
}>('webhook_deliveries_repeated')

/**
 * An endpoint took nothing for three days, or said that it is gone: nothing is sent to it until an
 * administrator enables it. `failing_since` in epoch milliseconds.
 */
export const webhookDisabled = eventType<
  EndpointFields & {
    readonly reason: 'gone' | 'took_nothing'
    readonly failing_since: number | null
  }
>('webhook_disabled', 'critical')

/** A delivery is given up. It is never sent to webhooks itself. */
export const webhookDeliveryFailed = eventType<{
  readonly webhook: string
  readonly message: string
  readonly type: string
  readonly status: number | null
  readonly detail: string | null
}>('webhook_delivery_failed', 'warn')
