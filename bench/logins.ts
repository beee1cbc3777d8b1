import { meter, startPeer, watchMemory } from './processes.ts'
import { atLeast, duel, load, memoryAtMost, processorTime, type Row } from './rounds.ts'
import { createAccount, openDatabase, service } from './service.ts'

const connections = 8
const rounds = 5
const seconds = 3
const password = 'a password of the benchmark'

/**
 * Measures successful logins in token mode with the throttle on; each connection has a username of
 * its own. Compared with @node-rs/argon2 verifying the same hash, as many at a time.
 */
export async function logins(nodeOptions: readonly string[]): Promise<Row[]> {
  const gatehouse = await service(nodeOptions)
  const usernames = Array.from({ length: connections }, (_, index) => `user-${index}`)
  for (const username of usernames) await createAccount(gatehouse, username, password)
  const argon2 = await startPeer('argon2-peer.ts', {
    hash: storedHash(gatehouse.directory, 'user-0'),
    password,
    atOnce: connections,
  })

  const logIn = () => {
    const left = [...usernames]
    return load({
      url: `${gatehouse.url}/login`,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      connections,
      duration: seconds,
      setupClient: (client) => client.setBody(JSON.stringify({ username: left.pop(), password })),
    })
  }
  const verify = async () => Number(await argon2.ask(seconds * 1000))
  const spent = { ours: meter(gatehouse), argon2: meter(argon2) }
  let result = { ours: 0, peer: 0, ratio: 0 }
  const most = await watchMemory(gatehouse.pid, async () => {
    result = await duel(
      rounds,
      () => spent.ours.count(logIn),
      () => spent.argon2.count(verify),
    )
  })
  await argon2.stop()
  await gatehouse.stop()
  return [
    atLeast('logins : Argon2id alone', result, 0.9),
    processorTime(spent.ours.microseconds(), spent.argon2.microseconds()),
    memoryAtMost('memory while logging in', most, 150),
  ]
}

function storedHash(directory: string, username: string): string {
  const database = openDatabase(directory)
  const row = database
    .prepare('select hash from passwords join accounts on user_id = account where username = ?')
    .get(username)
  database.close()
  return String(row?.hash)
}
