import { createHmac } from 'node:crypto'

/** `webhook-id`, time of the attempt in epoch seconds, body. */
export interface SignedMessage {
  readonly id: string
  readonly timestamp: number
  readonly body: string
}

/**
 * One signature per secret. Standard Webhooks 1.0.0,
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export function signedHeaders(
  message: SignedMessage,
  secrets: readonly string[],
): Readonly<Record<string, string>> {
  return {
    'webhook-id': message.id,
    'webhook-timestamp': String(message.timestamp),
    'webhook-signature': secrets.map((secret) => signatureOf(message, secret)).join(' '),
  }
}

function signatureOf({ id, timestamp, body }: SignedMessage, secret: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const mac = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return `v1,${mac}`
}
