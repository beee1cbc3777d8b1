/**
 * Decimal digits with a point or a comma. Null for other texts, and for a comma before exactly
 * three digits, which may separate thousands.
 */
export function typedNumber(text: string): number | null {
  if (!/^-?\d+([.,]\d+)?$/.test(text) || /,\d{3}$/.test(text)) return null
  return Number(text.replace(',', '.'))
}
