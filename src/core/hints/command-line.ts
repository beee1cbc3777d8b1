/**
 * The pasteable command: `npm run -s gatehouse --` in a clone, `npx gatehouse` for a dependency,
 * `gatehouse` on the PATH, as in the image.
 */
export const gatehouse = callAt(import.meta.url)

/** Takes a module's URL. */
export function callAt(url: string): string {
  const isClone = url.endsWith('.ts') || url.includes('/node_modules/.cache/gatehouse/bundle/')
  if (isClone) return 'npm run -s gatehouse --'
  return url.includes('/node_modules/gatehouse/') ? 'npx gatehouse' : 'gatehouse'
}

/** Generated documents always use `gatehouse`. */
export function asDocumented(text: string): string {
  return text.replaceAll(`${gatehouse} `, 'gatehouse ')
}
