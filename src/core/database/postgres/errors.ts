import {
  DatabaseDamaged,
  DatabaseUnavailable,
  TransactionConflict,
  UniqueViolation,
} from '../errors.ts'

// https://www.postgresql.org/docs/current/errcodes-appendix.html
const uniqueViolation = '23505'
// Serialization failure, deadlock, division by zero. A check that is sent together with another
// statement divides by zero if an assumption of the transaction is no longer true.
const conflicts = new Set(['40001', '40P01', '22012'])
// Connection, resources, operator, system; read-only after failover; timeouts; permission.
const damaged = /^XX00[12]$/ // data_corrupted, index_corrupted
const unavailable = /^(08...|53...|57P..|58...|XX000|25006|25P0[34]|55P03|57014|28...|3D000|42501)$/
const keepsConnection = new Set(['53100', '55P03', '57014', '25006', '42501'])

/** `isLost`: the connection is unusable. */
export function translated(error: unknown): { answer: unknown; isLost: boolean } {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  const isOfServer = error instanceof Error && 'severity' in error && typeof code === 'string'
  if (!isOfServer) {
    const answer = new DatabaseUnavailable('the database does not answer', { cause: error })
    return { answer, isLost: true }
  }
  if (code === uniqueViolation)
    return { answer: new UniqueViolation({ cause: error }), isLost: false }
  if (conflicts.has(code)) {
    return { answer: new TransactionConflict({ cause: error }), isLost: false }
  }
  if (damaged.test(code)) {
    return { answer: new DatabaseDamaged(error.message, { cause: error }), isLost: false }
  }
  if (unavailable.test(code)) {
    const isBusy = code === '55P03'
    const answer = new DatabaseUnavailable(error.message, { cause: error, isBusy })
    return { answer, isLost: !keepsConnection.has(code) }
  }
  return { answer: error, isLost: false }
}
