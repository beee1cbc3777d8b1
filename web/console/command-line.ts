/** A command as it is called where the service runs, which the page of the console says. */
export function commandLine(words: string): string {
  const { command = 'gatehouse' } = document.getElementById('console')?.dataset ?? {}
  return `${command} ${words}`
}
