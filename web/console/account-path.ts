export const accountsPath = '/admin/accounts'

/** Where an administrator invites a person, in a service with the sign-up. */
export const invitationPath = '/admin/invitations?create=yes'

/** The address of the page of an account. */
export function accountPath(username: string): string {
  return `${accountsPath}/${encodeURIComponent(username)}`
}
