/** The prefixes of the routes of the own account: for any account, and for the role USER. */
export const ownAccountPrefixes = ['/api/account', '/api/user/account'] as const

/** The operation id of a route of the own account: each prefix has ids of its own. */
export function ownOperationId(id: string, prefix: string): string {
  return prefix === '/api/user/account' ? `${id}AsUser` : id
}
