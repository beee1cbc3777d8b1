import { execFileSync } from 'node:child_process'
import { copyFileSync, cpSync, globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildWeb } from './build-web.ts'

const root = join(import.meta.dirname, '..')

/** The files that the code reads beside itself: all of `src` that are not TypeScript. */
export function filesBesideCode(): string[] {
  return globSync('**/*.*', { cwd: join(root, 'src') })
    .filter((path) => !path.endsWith('.ts'))
    .sort()
}

/**
 * `npm run build`: `src` compiled to `dist`, the files beside it, the pages to `web/dist`, and the
 * types of `gatehouse/testing`.
 */
async function build(): Promise<void> {
  const dist = join(root, 'dist')
  rmSync(dist, { recursive: true, force: true })
  compile('tsconfig.build.json', dist)
  for (const path of filesBesideCode()) cpSync(join(root, 'src', path), join(dist, path))
  const types = mkdtempSync(join(tmpdir(), 'gatehouse-types-'))
  try {
    // The compiler writes the types of all that the file imports; its own need none of them.
    compile('tsconfig.types.json', types)
    copyFileSync(join(types, 'testing.d.ts'), join(dist, 'testing.d.ts'))
  } finally {
    rmSync(types, { recursive: true })
  }
  await buildWeb()
}

function compile(project: string, outDir: string): void {
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  execFileSync(process.execPath, [compiler, '-p', join(root, project), '--outDir', outDir], {
    stdio: 'inherit',
  })
}

if (import.meta.main) await build()
