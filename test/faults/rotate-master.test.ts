import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { newKey } from '../master-key-rotation.ts'
import { startCluster } from './cluster.ts'
import { bearer, prepareNode, type ServiceNode } from './node.ts'

const folder = import.meta.dirname
/** More than a hundred starts, one after the other. */
const slow = { timeout: 300_000 }

/** Runs the command to its end, or to its death at a step. */
function rotate(env: Record<string, string>, dieAt: number) {
  const flags = ['--import', join(folder, 'die-at-step.ts')]
  return spawnSync(process.execPath, [...flags, join(folder, 'rotate-master-at-once.ts')], {
    env: { ...process.env, NODE_ENV: 'test', ...env, DIE_AT_STEP: String(dieAt) },
    encoding: 'utf8',
  })
}

const sealed = (env: Record<string, string>) =>
  spawnSync(process.execPath, ['src/cli/main.ts', 'keys', 'list'], {
    env: { ...process.env, NODE_ENV: 'test', ...env },
    encoding: 'utf8',
  })

/**
 * Kills the command at each of its steps, each time a turn to another key; after each kill the key set opens
 * with the files as they are, and another call ends the turn.
 */
async function killAtEach(
  node: ServiceNode,
  env: Record<string, string>,
  keys: { readonly prepare: () => void; readonly finish: () => void },
): Promise<{ kills: number; finished: number }> {
  keys.prepare()
  const whole = rotate(env, 0)
  assert.equal(whole.status, 0, whole.stderr)
  keys.finish()
  const steps = Number(/steps (\d+)/.exec(whole.stderr)?.[1])
  assert.ok(steps > 15, `${steps} steps`)
  let [kills, finished] = [0, 0]
  for (let at = 1; at <= steps; at += 1) {
    keys.prepare()
    const killed = rotate(env, at)
    if (killed.signal === 'SIGKILL') kills += 1
    const opened = sealed(env)
    assert.equal(opened.status, 0, `killed at step ${at}: ${opened.stderr}`)
    const ended = rotate(env, 0)
    // Killed behind the last step of the files, nothing is left to do, and the next call begins anew.
    assert.ok(ended.status === 0, `after step ${at}: ${ended.stderr}`)
    if (JSON.parse(ended.stdout).state === 'finished') finished += 1
    keys.finish()
    if (at % 8 === 0) {
      await node.start()
      const { status } = await node.caller.call('GET', '/api/me', {
        headers: bearer(await node.token()),
      })
      assert.equal(status, 200)
      await node.kill()
    }
  }
  const verify = spawnSync(process.execPath, ['src/cli/main.ts', 'audit', 'verify'], {
    env: { ...process.env, NODE_ENV: 'test', ...env },
    encoding: 'utf8',
  })
  assert.equal(verify.status, 0, verify.stdout)
  return { kills, finished }
}

suite('kill -9 of `keys rotate-master` at each step', () => {
  test(
    'SQLite, with the own file: every start opens the key set, and another call finishes',
    slow,
    async () => {
      const node = prepareNode({ env: { MASTER_KEY: '' } })
      await node.start()
      await node.stop()
      const env = { DATA_DIR: node.directory }
      const { kills, finished } = await killAtEach(node, env, {
        prepare: () => {},
        finish: () => assert.ok(!existsSync(join(node.directory, 'master.key.next'))),
      })
      assert.ok(kills > 15 && finished > 0, `${kills} kills, ${finished} finished`)
      await node.remove()
    },
  )

  test(
    'PostgreSQL, with MASTER_KEY_FILE: likewise, and the files are moved after it',
    slow,
    async () => {
      const cluster = await startCluster()
      const url = cluster.url(await cluster.createDatabase())
      const node = prepareNode({ env: { MASTER_KEY: '', DATABASE_URL: url } })
      const file = join(node.directory, 'key')
      const keep = (path: string) => writeFileSync(path, newKey(), { mode: 0o600 })
      keep(file)
      const env = { DATA_DIR: node.directory, DATABASE_URL: url, MASTER_KEY_FILE: file }
      const own = prepareNode({ env: { ...env, MASTER_KEY: '' }, directory: node.directory })
      await own.start()
      await own.stop()
      const { kills, finished } = await killAtEach(own, env, {
        prepare: () => keep(`${file}.next`),
        finish: () => {
          const next = readFileSync(`${file}.next`, 'utf8')
          renameSync(`${file}.next`, file)
          assert.equal(readFileSync(file, 'utf8'), next)
        },
      })
      assert.ok(kills > 15 && finished > 0, `${kills} kills, ${finished} finished`)
      await own.remove()
      await cluster.remove()
    },
  )
})
