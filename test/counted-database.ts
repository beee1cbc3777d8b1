import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CompiledQuery, Dialect, Driver } from 'kysely'
import { connect } from '../src/core/database/connect.ts'
import {
  type PostgresAddress,
  parsePostgresAddress,
} from '../src/core/database/postgres/address.ts'
import type { TestOptions } from './app.ts'
import { loadConfig } from './config.ts'
import { databaseSettings, nodes, placeSqliteFile } from './database.ts'
import { databaseProxy } from './database-proxy.ts'

/** The statements that were sent to the database. */
export interface Count {
  /** Includes `begin` and `commit`, but not the settings of a connection. */
  readonly statements: number
  readonly transactions: number
  /** How often the server was waited for; 0 on SQLite, which is no server. */
  readonly roundTrips: number
}

/**
 * Options of a service whose statements are counted at the driver. Its change feed is always
 * current: otherwise the number of statements would depend on real time.
 */
export async function countedDatabase(): Promise<CountedDatabase> {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-'))
  await placeSqliteFile(directory)
  const { database } = loadConfig({ NODE_ENV: 'test', ...(await databaseSettings(directory)) })
  const count = { statements: 0, transactions: 0, roundTrips: 0 }
  const postgres = database.postgres && (await countingProxy(database.postgres, count))
  const wrap = (dialect: Dialect) => counting(dialect, count)
  const { feed, ...connected } = connect({ ...database, postgres, synchronous: 'off', wrap, nodes })
  return {
    options: { directory, deps: { ...connected, feed: { ...feed, isCurrent: () => true } } },
    async during(work) {
      const { statements, transactions, roundTrips } = count
      const result = await work()
      return {
        result,
        count: {
          statements: count.statements - statements,
          transactions: count.transactions - transactions,
          roundTrips: count.roundTrips - roundTrips,
        },
      }
    },
  }
}

export interface CountedDatabase {
  readonly options: Pick<TestOptions, 'directory' | 'deps'>
  /** Counts the statements that are sent during the work. */
  during<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly count: Count }>
}

/** A connection starts with two answers: to its login, and to its settings. */
const startingAnswers = 2

/** Counts the messages by which the server says that it is ready for the next query. */
async function countingProxy(
  address: PostgresAddress,
  count: { roundTrips: number },
): Promise<PostgresAddress> {
  const url = await databaseProxy(address, () => {
    let answers = 0
    return (type) => {
      if (type === 'Z') answers += 1 // ReadyForQuery
      if (type === 'Z' && answers > startingAnswers) count.roundTrips += 1
      return true
    }
  })
  return parsePostgresAddress(url, () => true)
}

function counting(dialect: Dialect, count: { statements: number; transactions: number }): Dialect {
  return {
    createAdapter: () => dialect.createAdapter(),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createDriver: () => countingDriver(dialect.createDriver(), count),
  }
}

function countingDriver(
  driver: Driver,
  count: { statements: number; transactions: number },
): Driver {
  return {
    init: (options) => driver.init(options),
    destroy: (options) => driver.destroy(options),
    releaseConnection: (connection, options) => driver.releaseConnection(connection, options),
    async acquireConnection(options) {
      const connection = await driver.acquireConnection(options)
      const execute = connection.executeQuery.bind(connection)
      connection.executeQuery = <R>(query: CompiledQuery) => {
        count.statements += 1
        return execute<R>(query)
      }
      return connection // a lease, made for this use only
    },
    beginTransaction(connection, settings) {
      count.statements += 1
      count.transactions += 1
      return driver.beginTransaction(connection, settings)
    },
    commitTransaction(connection) {
      count.statements += 1
      return driver.commitTransaction(connection)
    },
    rollbackTransaction(connection) {
      count.statements += 1
      return driver.rollbackTransaction(connection)
    },
  }
}
