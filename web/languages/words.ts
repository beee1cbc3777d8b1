import type { Language } from '../../src/core/lib/languages.ts'

/** The forms of a word by number, as `Intl.PluralRules` tells them apart; `#` stands for the number. */
export interface Forms {
  /** In place of the number 0; by default 0 is as any other number. */
  readonly none?: string
  readonly one: string
  readonly other: string
}

/** Makes a function of a number: `plural('en', { one: '# day', other: '# days' })(2)` is "2 days". */
export function plural(language: Language, forms: Forms): (count: number) => string {
  // Created with the first number: the first `Intl` object of a page takes a browser 20 ms.
  let rules: Intl.PluralRules | undefined
  let numbers: Intl.NumberFormat | undefined
  return (count) => {
    rules ??= new Intl.PluralRules(language)
    numbers ??= new Intl.NumberFormat(language)
    const usual = rules.select(count) === 'one' ? forms.one : forms.other
    const form = count === 0 ? (forms.none ?? usual) : usual
    return form.replaceAll('#', numbers.format(count))
  }
}

/** Makes a function of seconds, rounded up, in whole words: "90 seconds", "15 minutes", "24 hours", "7 days". */
export function duration(
  units: Readonly<Record<'seconds' | 'minutes' | 'hours' | 'days', (count: number) => string>>,
): (seconds: number) => string {
  return (seconds) => {
    if (seconds <= 90) return units.seconds(Math.ceil(seconds))
    if (seconds <= 90 * 60) return units.minutes(Math.ceil(seconds / 60))
    if (seconds <= 36 * 3600) return units.hours(Math.ceil(seconds / 3600))
    return units.days(Math.ceil(seconds / 86_400))
  }
}
