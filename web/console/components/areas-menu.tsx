import { useLanguage } from '../../context.ts'
import type { Area } from '../area.ts'
import { groupsFor } from '../areas.ts'
import { frameTexts } from '../frame-texts.ts'
import { session } from '../session/session.ts'

/** Lines in a square of 16. */
const icons: Readonly<Record<Area['group'], string>> = {
  overview: 'M2 8l6-5 6 5M4 7v6h8V7',
  people: 'M8 7a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM3 14c0-3 2-5 5-5s5 2 5 5',
  records: 'M4 2h6l3 3v9H4zM6 8h5M6 11h5',
  connections: 'M2 4h12v9H2zM2 4l6 5 6-5',
  operation:
    'M8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM8 1v3M8 12v3M1 8h3M12 8h3M3 3l2 2M11 11l2 2M13 3l-2 2M5 11l-2 2',
}

interface Props {
  /** The path of the area of the address, if there is one. */
  readonly current: string | undefined
  /** On a phone; on a desk the areas always stand at the side. */
  readonly isOpen: boolean
}

/** The areas that the person's roles may see. */
export function AreasMenu({ current, isOpen }: Props) {
  const t = frameTexts.use()
  const language = useLanguage()
  return (
    <nav id="areas" class={isOpen ? 'areas open' : 'areas'} aria-label={t.navigation}>
      {groupsFor(session.value?.roles ?? []).map(([group, areas]) => (
        <section key={group} aria-labelledby={`group-${group}`}>
          <h2 id={`group-${group}`} class={group === 'overview' ? 'said' : undefined}>
            <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
              <path d={icons[group]} />
            </svg>
            {t.groups[group]}
          </h2>
          <ul>
            {areas.map(({ name, path }) => (
              <li key={path}>
                <a href={path} {...(path === current && { 'aria-current': 'page' as const })}>
                  {name[language]}
                </a>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </nav>
  )
}
