import type { events } from '../languages/en/console/events.ts'

type Words = { readonly events: typeof events }

/** The texts of an area with those of the events of the audit log, loaded at the same time. */
export async function withEvents<Texts extends object>(
  texts: Promise<Texts>,
  words: Promise<Words>,
): Promise<Texts & Words> {
  const [own, { events }] = await Promise.all([texts, words])
  return { ...own, events }
}
