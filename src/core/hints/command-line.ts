/**
 * How the command line of this installation is called, for each text that names a command: what a
 * reader can paste. `npm run -s gatehouse --` in a clone, `npx gatehouse` for a dependency, and
 * `gatehouse` where it is on the PATH, as in the image.
 */
export const gatehouse = callAt(import.meta.url)

/** The same, by the URL of a module of the installation. */
export function callAt(url: string): string {
  const isClone = url.endsWith('.ts') || url.includes('/node_modules/.cache/gatehouse/bundle/')
  if (isClone) return 'npm run -s gatehouse --'
  return url.includes('/node_modules/gatehouse/') ? 'npx gatehouse' : 'gatehouse'
}

/** A text as the generated documents have it, where `gatehouse` stands for each of these calls. */
export function asDocumented(text: string): string {
  return text.replaceAll(`${gatehouse} `, 'gatehouse ')
}
