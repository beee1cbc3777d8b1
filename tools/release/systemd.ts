import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
} from 'node:fs'
import { join } from 'node:path'
import { closureOf } from '../image.ts'
import { logIn } from './callers.ts'
import {
  debian,
  install,
  listingOf,
  ready,
  root,
  run,
  type Stage,
  until,
  version,
} from './stage.ts'
import { Visitor } from './visitor.ts'

const url = 'http://127.0.0.1:3000'
const secure = 'https://auth.example.org'
const visitor = new Visitor()
const release = `/opt/gatehouse-${version}`
const packages = 'systemd,systemd-sysv,dbus,libatomic1,libstdc++6,openssl'

/** The unit in a booted systemd: the lines of docs/deploy.md, "systemd" and "HTTPS without a proxy". */
export const systemd: Stage = {
  prepare(folder) {
    install(['mmdebstrap', 'systemd-container'])
    const system = join(folder, 'system')
    debian(join(folder, 'system.tar'), 'bookworm', packages)
    mkdirSync(system)
    run('tar', ['-xf', join(folder, 'system.tar'), '-C', system])
    run(process.execPath, ['tools/bundle.ts'], { cwd: root })
    const lock = JSON.parse(readFileSync(join(root, 'node_modules/.package-lock.json'), 'utf8'))
    const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    const installed = closureOf(Object.keys(dependencies), lock.packages)
    for (const path of ['package.json', 'dist', 'web/dist', 'docs', 'deploy', ...installed]) {
      cpSync(join(root, path), join(system, release, path), { recursive: true })
    }
    const node = realpathSync(join(root, 'node_modules/.bin/node'))
    cpSync(node, join(system, release, 'bin/node'))
  },

  async run(folder) {
    const inside = await boot(folder)
    const made = listingOf('systemd').filter((line) => !/^(?:cd|npm|install -D) /.test(line))
    const last = made.pop() ?? ''
    inside(`cd ${release}\n${made.join('\n')}`)
    const startMs = await ready(url)
    const password = inside(last)
    await logIn(url, password)
    assertHardened(inside, 0)
    const exposure = exposureOf(inside)

    inside('systemctl restart gatehouse')
    await ready(url)
    assert.notEqual(inside('find /var/cache/private/gatehouse -type f'), '', 'the compile cache')
    inside('systemctl reload gatehouse')
    await until('the reload', async () =>
      /SIGHUP/.test(inside('journalctl --unit gatehouse --output cat')) ? true : undefined,
    )
    inside('systemctl kill --signal KILL gatehouse')
    await until('the restart', async () =>
      inside('systemctl show --property NRestarts --value gatehouse') === '1' ? true : undefined,
    )
    await ready(url)
    await logIn(url, password)

    await useHttps(inside)
    assertHardened(inside, 0x400)
    inside('systemctl reload gatehouse')
    assert.equal((await visitor.get(`${secure}/health/ready`)).status, 200)
    const stoppingAt = performance.now()
    inside('systemctl stop gatehouse')
    const stopMs = Math.round(performance.now() - stoppingAt)
    const ended = inside('systemctl show --property Result,ExecMainStatus gatehouse')
    assert.deepEqual(ended.split('\n').toSorted(), ['ExecMainStatus=0', 'Result=success'])
    const [named = ''] = inside('systemctl --version').split('\n')
    inside('systemctl poweroff')
    return `${named}: ready in ${startMs} ms, exposure ${exposure}, stopped in ${stopMs} ms`
  },
}

/** Runs lines in the machine as root, and returns what they print. */
type Inside = (lines: string) => string

/** Boots the system as a machine of this network. */
async function boot(folder: string): Promise<Inside> {
  const log = openSync(join(folder, 'boot.log'), 'a')
  const options = ['--keep-unit', '--register=no', '--resolv-conf=off', '--timezone=off', '--boot']
  const words = ['--directory', join(folder, 'system'), '--machine=gatehouse-check', ...options]
  spawn('systemd-nspawn', words, { stdio: ['ignore', log, log] }).unref()
  const first = await until('systemd', async () =>
    globSync('/proc/[0-9]*/status').find((path) => {
      const status = existsSync(path) ? readFileSync(path, 'utf8') : ''
      return /^Name:\tsystemd$/m.test(status) && /^NSpid:\t.*\t1$/m.test(status)
    }),
  )
  const pid = first.split('/')[2] ?? ''
  const enter = [
    '--target',
    pid,
    '--mount',
    '--uts',
    '--ipc',
    '--pid',
    '--cgroup',
    '--root',
    '--wd',
  ]
  const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C.UTF-8' }
  const inside: Inside = (lines) => run('nsenter', [...enter, 'sh', '-ec', lines], { env }).trim()
  await until('the boot', async () =>
    /running|degraded/.test(inside('systemctl is-system-running || true')) ? true : undefined,
  )
  return inside
}

/** What the unit promises, as the kernel says of the process. */
function assertHardened(inside: Inside, capabilities: number): void {
  const pid = inside('systemctl show --property MainPID --value gatehouse')
  const status = inside(`cat /proc/${pid}/status`)
  const field = (name: string) => new RegExp(`^${name}:\\s*(\\S+)`, 'm').exec(status)?.[1]
  const uid = Number(field('Uid'))
  assert.ok(uid >= 61184 && uid <= 65519, `${uid} is no dynamic user`)
  for (const name of ['CapPrm', 'CapEff', 'CapBnd', 'CapAmb']) {
    assert.equal(Number.parseInt(field(name) ?? '', 16), capabilities, name)
  }
  assert.deepEqual([field('NoNewPrivs'), field('Seccomp')], ['1', '2'])
  // As root in its mounts: they are read-only to anyone.
  for (const path of ['/etc', '/opt', '/usr', '/home', '/root']) {
    const touched = inside(`nsenter --target ${pid} --mount touch ${path}/touched 2>&1 || true`)
    assert.match(touched, /Read-only file system|Permission denied/, path)
  }
  const [state = '', ...files] = inside(
    "stat --format '%a %n' /var/lib/private/gatehouse /var/lib/private/gatehouse/*",
  ).split('\n')
  assert.match(state, /^700 /)
  for (const file of files) assert.match(file, /^[67]00 /)
}

function exposureOf(inside: Inside): string {
  const [, value = ''] =
    /level for gatehouse\.service: (\S+)/.exec(
      inside('systemd-analyze security --no-pager gatehouse'),
    ) ?? []
  assert.ok(Number(value) < 2, `the exposure is ${value}`)
  return value
}

/** The certificate, its hook and the drop-in of the documentation. */
async function useHttps(inside: Inside): Promise<void> {
  const [, part = ''] = readFileSync(join(root, 'docs/deploy.md'), 'utf8').split(
    '\n## HTTPS without a proxy\n',
  )
  const [, hook = ''] = /^ {2}```sh\n(.*?)^ {2}```$/ms.exec(part) ?? []
  const [, dropIn = ''] = /^```ini\n(.*?)^```$/ms.exec(part) ?? []
  assert.ok(hook && dropIn)
  const folder = '/etc/systemd/system/gatehouse.service.d'
  inside(`mkdir -p /etc/letsencrypt/renewal-hooks/deploy /root/renewed ${folder}
${hook.replaceAll(/^ {2}/gm, '')}
cd /root/renewed
openssl req -x509 -newkey rsa:2048 -nodes -days 90 -subj /CN=auth.example.org \\
  -addext subjectAltName=DNS:auth.example.org -keyout privkey.pem -out fullchain.pem
RENEWED_LINEAGE=/root/renewed /etc/letsencrypt/renewal-hooks/deploy/gatehouse
cat > ${folder}/override.conf <<'END'
${dropIn}END
systemctl daemon-reload
systemctl restart gatehouse`)
  const answer = await until('HTTPS', () => visitor.get(`${secure}/health/ready`))
  assert.equal(answer.status, 200)
  const plain = await visitor.get('http://auth.example.org/signin')
  assert.deepEqual([plain.status, plain.location], [308, `${secure}/signin`])
}
