const minDistinctBytes = 8

/** @throws Error if repeated or with too few distinct values */
export function assertVaried(bytes: Uint8Array): void {
  if (isRepeatedUnit(bytes)) throw new Error('is one unit repeated')
  if (new Set(bytes).size < minDistinctBytes) {
    throw new Error(`must have at least ${minDistinctBytes} different bytes`)
  }
}

function isRepeatedUnit(bytes: Uint8Array): boolean {
  for (let unit = 1; unit <= bytes.length / 2; unit += 1) {
    if (bytes.every((byte, index) => byte === bytes[index % unit])) return true
  }
  return false
}
