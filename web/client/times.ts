import { withData } from './elements.ts'

/** Shows times in the zone of the reader: the service knows none, and shows UTC. */
export function showLocalTimes(): void {
  const { lang } = document.documentElement
  const formats: Readonly<Record<string, Intl.DateTimeFormatOptions>> = {
    date: { dateStyle: 'long' },
    time: { dateStyle: 'medium', timeStyle: 'short' },
  }
  for (const [element, format] of withData<HTMLTimeElement>('format')) {
    const at = new Date(element.dateTime)
    element.textContent = new Intl.DateTimeFormat(lang, formats[format]).format(at)
  }
}
