/** What a proxy gives to this service of the host of an application: see forward/. */
export const hostPrefix = '/.gatehouse'
