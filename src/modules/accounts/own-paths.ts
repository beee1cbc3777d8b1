/** For any account, and for the role USER. */
export const ownAccountPrefixes = ['/api/account', '/api/user/account'] as const

/** Operation ids are unique per prefix. */
export function ownOperationId(id: string, prefix: string): string {
  return prefix === '/api/user/account' ? `${id}AsUser` : id
}
