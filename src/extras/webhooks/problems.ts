import type { Problem } from '../../core/errors.ts'

export const webhookNotFound: Problem = {
  name: 'webhookNotFound',
  status: 404,
  error: 'Webhook not found',
}

export const deliveryNotFound: Problem = {
  name: 'webhookDeliveryNotFound',
  status: 404,
  error: 'Webhook delivery not found',
}

/** Nothing is sent to a disabled endpoint, so that nothing new is put into its queue. */
export const webhookDisabled: Problem = {
  name: 'webhookDisabled',
  status: 409,
  error: 'Webhook is disabled',
}
