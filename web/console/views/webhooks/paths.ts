export const webhooksPath = '/admin/webhooks'
export const deliveriesPath = `${webhooksPath}/deliveries`
export const newWebhookPath = `${webhooksPath}/new`

export function webhookPath(id: string): string {
  return `${webhooksPath}/${encodeURIComponent(id)}`
}

export function editPath(id: string): string {
  return `${webhookPath(id)}/edit`
}

export function deliveryPath(id: number): string {
  return `${deliveriesPath}/${id}`
}
