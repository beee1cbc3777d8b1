/** What the proxy gives to this service of the host of an application. */
export const hostPrefix = '/.gatehouse'

/** Where a ticket is used, at the host of the application. */
export const enterPath = `${hostPrefix}/enter`
