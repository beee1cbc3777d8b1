import { api, dataOf } from '../../api/client.ts'

/** Reads the setting ROLES. */
export async function readRoles(): Promise<string> {
  const { data } = await dataOf(api.GET('/api/admin/settings'))
  return String(data.find(({ name }) => name === 'ROLES')?.value ?? '')
}
