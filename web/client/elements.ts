/** The elements with a `data-` attribute, and its value. */
export function withData<Found extends HTMLElement = HTMLElement>(
  name: string,
): readonly (readonly [element: Found, value: string])[] {
  const found = document.querySelectorAll<Found>(`[data-${name}]`)
  return [...found].map((element) => [element, element.getAttribute(`data-${name}`) ?? ''])
}

export function inputOf(id: string): HTMLInputElement | null {
  const element = document.getElementById(id)
  return element instanceof HTMLInputElement ? element : null
}
