export const accountsPath = '/admin/accounts'

/** The address of the page of an account. */
export function accountPath(username: string): string {
  return `${accountsPath}/${encodeURIComponent(username)}`
}
