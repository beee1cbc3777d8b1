import assert from 'node:assert/strict'
import { logIn, logInMany } from './callers.ts'
import { buildImage, loadImage, tag } from './container-image.ts'
import { dockerPackages, inspect, line, startDocker } from './docker.ts'
import { prepareHome, tryHome } from './home.ts'
import { install, listingOf, ready, run, type Stage, until } from './stage.ts'

const url = 'http://127.0.0.1:3000'
const limitBytes = 512 * 1024 * 1024

/**
 * The image is built without root, and runs as docs/deploy.md says: the lines of "A container" are run.
 */
export const container: Stage = {
  prepare(folder) {
    install(dockerPackages)
    buildImage(folder)
    prepareHome(folder)
  },

  async run(folder) {
    await startDocker(folder)
    loadImage(folder)
    return `${await tryContainer(folder)}; ${await tryHome(folder)}`
  },
}

async function tryContainer(folder: string): Promise<string> {
  const lines = listingOf('A container').filter((one) => !one.startsWith('docker build '))
  const at = (part: string) => lines.find((one) => one.includes(part)) ?? assert.fail(part)
  const start = at('docker run')
  line(start, folder)
  const startMs = await ready(url)
  const password = line(at('first-password'), folder)
  assert.match(line(at('gatehouse help'), folder), /^gatehouse .*\n/)
  assertConfined()
  await logIn(url, password)
  await until('the health check of the image', async () =>
    inspect('gatehouse', '{{.State.Health.Status}}') === 'healthy' ? true : undefined,
  )

  const peak = await logInMany(url, password)
  assert.equal(inspect('gatehouse', '{{.HostConfig.Memory}}'), String(limitBytes))
  assert.equal(inspect('gatehouse', '{{.State.OOMKilled}} {{.RestartCount}}'), 'false 0')
  const usage = line("docker stats --no-stream --format '{{.MemUsage}}' gatehouse", folder)

  const stoppingAt = performance.now()
  line('docker stop gatehouse', folder)
  const stopMs = Math.round(performance.now() - stoppingAt)
  assert.equal(inspect('gatehouse', '{{.State.ExitCode}} {{.State.OOMKilled}}'), '0 false')
  assert.match(line('docker logs gatehouse 2>&1', folder), /"event":"sys_shutdown".*stopped/s)
  line('docker rm --force gatehouse', folder)
  line(start, folder)
  await ready(url)
  await logIn(url, password)
  line(`docker exec gatehouse rm /data/first-password`, folder)
  line('docker kill --signal KILL gatehouse && docker start gatehouse', folder)
  await ready(url)
  await logIn(url, password)
  line('docker rm --force gatehouse', folder)
  const bytes = Number(line(`docker image inspect --format '{{.Size}}' ${tag}`, folder))
  return `image ${Math.round(bytes / 1e6)} MB, ready in ${startMs} ms, ${usage} after ${peak}, stopped in ${stopMs} ms`
}

/** What the process can do, as the kernel says. */
function assertConfined(): void {
  const script = `
    const { accessSync, constants, readFileSync, statSync } = require('node:fs')
    const status = readFileSync('/proc/1/status', 'utf8')
    const field = (name) => status.match(new RegExp('^' + name + ':\\\\s*(.*)$', 'm'))[1].split('\\t')[0]
    const written = ['/', '/app', '/app/dist', '/etc', '/tmp'].filter((path) => {
      try { accessSync(path, constants.W_OK); return true } catch { return false }
    })
    const mode = (path) => (statSync(path).mode & 0o777).toString(8)
    console.log(JSON.stringify({
      uid: field('Uid'), caps: ['CapPrm', 'CapEff', 'CapBnd', 'CapAmb'].map((name) => parseInt(field(name), 16)),
      noNewPrivs: field('NoNewPrivs'), seccomp: field('Seccomp'), written,
      modes: [mode('/data'), mode('/data/gatehouse.db'), mode('/data/master.key')],
      owners: [statSync('/').uid, statSync('/app').uid, statSync('/data').uid],
    }))`
  const found = JSON.parse(run('docker', ['exec', 'gatehouse', 'node', '-e', script]))
  assert.deepEqual(found, {
    uid: '1000',
    caps: [0, 0, 0, 0],
    noNewPrivs: '1',
    seccomp: '2',
    written: [],
    modes: ['700', '600', '600'],
    owners: [0, 0, 1000],
  })
  const shell = ['exec', 'gatehouse', 'sh', '-c', 'true']
  assert.throws(() => run('docker', shell), /not found/)
}
