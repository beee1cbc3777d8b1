import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Writes the configuration of nginx into a folder: `nginx.conf` of the listings of a document, with
 * the other listings as files that it includes; `place` puts addresses in. Answers the path of the
 * configuration, which runs as one process and keeps all that it writes in the folder.
 */
export function writeNginx(
  folder: string,
  listings: ReadonlyMap<string, string>,
  place: (text: string) => string,
): string {
  mkdirSync(join(folder, 'snippets'))
  for (const [name, text] of listings) {
    if (name.endsWith('.conf')) writeFileSync(join(folder, 'snippets', name), place(text))
  }
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  const paths = kinds.map((kind) => `${kind}_temp_path ${join(folder, kind)};\n`).join('')
  const file = join(folder, 'main.conf')
  writeFileSync(
    file,
    `daemon off; master_process off; pid ${join(folder, 'pid')}; error_log stderr;
     events {}
     http { access_log off; ${paths} ${place(listings.get('nginx.conf') ?? '')} }`,
  )
  return file
}
