import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A disk of its own that a test can fill. */
export interface SmallDisk {
  readonly directory: string
  /** Nothing more can be written. */
  fill(): void
  makeRoom(): void
  remove(): void
}

/** A tmpfs of so many MiB; null where this user, or this container, may mount nothing. */
export function mountSmallDisk(mebibytes: number): SmallDisk | null {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-disk-'))
  const mount = ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'none', directory]
  try {
    execFileSync('mount', mount, { stdio: 'ignore' })
  } catch {
    rmSync(directory, { recursive: true })
    return null
  }
  const ballast = join(directory, 'ballast')
  return {
    directory,
    fill() {
      // In ever smaller steps, so that not even a page is left.
      for (let bytes = 1024 * 1024; bytes >= 512; bytes /= 2) {
        try {
          for (;;) writeFileSync(ballast, Buffer.alloc(bytes), { flag: 'a' })
        } catch {
          // full in steps of this size
        }
      }
    },
    makeRoom: () => rmSync(ballast, { force: true }),
    remove() {
      execFileSync('umount', ['-l', directory])
      rmSync(directory, { recursive: true })
    },
  }
}

/** No file of a process may grow beyond so many bytes, from now on. Linux: prlimit(1). */
export function limitFileSize(pid: number | undefined, bytes: number | 'unlimited'): void {
  execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:unlimited`])
}

export function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
