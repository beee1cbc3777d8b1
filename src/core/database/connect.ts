import { databaseMeasurements } from '../measurements/measurements.ts'
import type { Connected, ConnectOptions } from './database.ts'
import { connectPostgres } from './postgres/connect.ts'
import { connectSqlite } from './sqlite/connect.ts'

const poolMax = 10

/** @throws Error like `connectSqlite` */
export function connect(given: ConnectOptions): Connected {
  const { postgres: address, measurements = databaseMeasurements() } = given
  const options = { ...given, measurements }
  return address ? connectPostgres({ poolMax, ...options, address }) : connectSqlite(options)
}
