/** POST of `complete` below the path; until 1.0 also PUT of the path, as before 0.13.0. */
export const completing = (path: string, what: string) =>
  [
    { method: 'POST', url: `${path}/complete`, named: { operationId: `complete${what}` } },
    { method: 'PUT', url: path, named: { operationId: `finish${what}`, deprecated: true } },
  ] as const
