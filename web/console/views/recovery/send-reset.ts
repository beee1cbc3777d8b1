import { api, dataOf } from '../../api/client.ts'

/** Mails a reset to the verified address of an account. */
export async function sendReset(username: string): Promise<void> {
  const params = { path: { username } }
  await dataOf(api.POST('/api/admin/accounts/{username}/reset', { params, body: {} }))
}
