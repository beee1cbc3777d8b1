import { useLocation } from 'preact-iso'

/** The fields of an address: filters, sorting and places stand there, so that each can be shared. */
export interface Address {
  readonly path: string
  readonly fields: Readonly<Record<string, string>>
  /** Changes fields; an empty one leaves the address. `replace` makes no step to go back to. */
  change(fields: Readonly<Record<string, string>>, options?: { readonly replace?: boolean }): void
}

export function useAddress(): Address {
  const { path, query, route } = useLocation()
  return {
    path,
    fields: query,
    change(fields, { replace = false } = {}) {
      const wanted = Object.entries({ ...query, ...fields }).filter(([, value]) => value !== '')
      const search = new URLSearchParams(wanted).toString()
      route(search === '' ? path : `${path}?${search}`, replace)
    },
  }
}
