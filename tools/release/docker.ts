import { spawn } from 'node:child_process'
import { openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run, until } from './stage.ts'

export const dockerPackages = ['docker.io', 'iptables', 'iproute2']

/** Starts Docker in this network and these mounts; its commands find it by DOCKER_HOST. */
export async function startDocker(folder: string): Promise<void> {
  // One that mixes version 1 with controllers of version 2 is not understood.
  run('sh', ['-ec', '! mountpoint -q /sys/fs/cgroup/unified || umount -l /sys/fs/cgroup/unified'])
  const socket = `unix://${join(folder, 'docker.sock')}`
  const settings = join(folder, 'docker.json')
  writeFileSync(settings, '{}')
  const log = openSync(join(folder, 'docker.log'), 'a')
  const options = {
    '--config-file': settings,
    '--data-root': join(folder, 'docker'),
    '--exec-root': join(folder, 'docker-run'),
    '--pidfile': join(folder, 'docker.pid'),
    '--host': socket,
    '--storage-driver': 'overlay2',
    '--cgroup-parent': cgroup,
    // Not more than root may give on a machine without CAP_SYS_RESOURCE.
    '--default-ulimit': 'nofile=16384:16384',
  }
  spawn('dockerd', Object.entries(options).flat(), { stdio: ['ignore', log, log] }).unref()
  process.env.DOCKER_HOST = socket
  await until('Docker', async () => run('docker', ['version', '--format', '{{.Server.Version}}']))
}

/** All containers are below it. */
export const cgroup = 'gatehouse-release-check'

/** Runs a line of a document in a shell, and returns what it prints. */
export function line(text: string, cwd: string): string {
  return run('sh', ['-ec', text], { cwd }).trim()
}

export const inspect = (container: string, format: string) =>
  run('docker', ['inspect', '--format', format, container]).trim()
