export const clientsPath = '/admin/clients'
export const newClientPath = `${clientsPath}/new`

/** The id `new` is the form. */
export function clientPath(id: string): string {
  return `${clientsPath}/client/${encodeURIComponent(id)}`
}
