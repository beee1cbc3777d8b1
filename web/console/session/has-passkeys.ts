/** Whether the browser knows passkeys, which no IP address can have: it ends with a digit or `]`. */
export function hasPasskeys(): boolean {
  return 'PublicKeyCredential' in globalThis && !/[\d\]]$/.test(location.hostname)
}
