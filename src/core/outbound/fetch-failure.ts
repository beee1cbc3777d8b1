/** Why `fetch` failed: the code of the cause, or the name of the error. A message may hold the address. */
export function fetchFailure(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  const { cause } = error
  return cause instanceof Error && 'code' in cause ? String(cause.code) : error.name
}
