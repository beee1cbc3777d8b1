/** What a proxy gives to this service of the host of an application: see forward/. */
export const hostPrefix = '/.gatehouse'

/** Where pages load their files: also at the hosts of applications, below the prefix. */
export const pagePrefixes = ['', hostPrefix] as const
