import type { components } from '../../api/openapi.d.ts'
import type { Tone } from '../../components/mark.tsx'

export type Webhook = components['schemas']['Webhook']
export type Delivery = components['schemas']['WebhookDelivery']
export type WebhookWithSecret = components['schemas']['WebhookWithSecret']

/** How many are counted at most before an action: one page of the API. */
export const maxCounted = 1000

export const stateTones: Readonly<Record<Webhook['state'], Tone>> = {
  enabled: 'good',
  disabled: 'plain',
  failed: 'bad',
}

export const deliveryTones: Readonly<Record<Delivery['state'], Tone>> = {
  waiting: 'plain',
  delivered: 'good',
  failed: 'bad',
  cancelled: 'plain',
}

/** The host of an address, by which people know a receiver. */
export function hostOf(url: string): string {
  return URL.parse(url)?.host ?? url
}
