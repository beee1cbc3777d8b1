import type { Problem } from '../../core/errors.ts'

export const webhookNotFound: Problem = {
  name: 'webhookNotFound',
  isUnlisted: true,
  status: 404,
  error: 'Webhook not found',
  words: {
    en: 'There is no such webhook: it was removed, or never was.',
    de: 'Diesen Webhook gibt es nicht: Er wurde entfernt, oder es gab ihn nie.',
  },
}

export const deliveryNotFound: Problem = {
  name: 'webhookDeliveryNotFound',
  isUnlisted: true,
  status: 404,
  error: 'Webhook delivery not found',
  words: {
    en: 'There is no such delivery: deliveries are removed 30 days after their end.',
    de: 'Diese Zustellung gibt es nicht: Zustellungen werden 30 Tage nach ihrem Ende entfernt.',
  },
}

/** A disabled endpoint accepts no new deliveries. */
export const webhookDisabled: Problem = {
  name: 'webhookDisabled',
  isUnlisted: true,
  status: 409,
  error: 'Webhook is disabled',
  words: {
    en: 'The webhook is disabled: enable it first.',
    de: 'Der Webhook ist ausgeschaltet: Schalten Sie ihn zuerst ein.',
  },
}
