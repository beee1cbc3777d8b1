/** Path that proxies forward from application hosts: see forward/. */
export const hostPrefix = '/.gatehouse'

/** File prefixes, also at application hosts. */
export const pagePrefixes = ['', hostPrefix] as const
