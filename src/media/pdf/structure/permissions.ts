/** What readers that honour permissions allow users who only know the user password. */
export interface Permissions {
  /** `low`: as a low-resolution image. */
  printing: 'none' | 'low' | 'full'
  copying: boolean
  modifying: boolean
  /** Includes filling in forms (ISO 32000-1, table 22, bit 6). */
  annotating: boolean
  formFilling: boolean
  assembling: boolean
}

/** `P` without restrictions: all bits set except the lowest two, which are reserved. */
export const EVERYTHING = -4

/** Values of `P` (ISO 32000-1, table 22); bit 10, extraction for accessibility, is always set. */
const BITS = { printing: 4, modifying: 8, copying: 16, annotating: 32, formFilling: 256, assembling: 1024 }
const PRINTING_FULL = 2048

/** Permissions as `P` of an encryption dictionary, a signed 32-bit number. */
export function permissionBits({ printing, ...others }: Permissions): number {
  let bits = EVERYTHING
  if (printing === 'none') bits &= ~BITS.printing
  if (printing !== 'full') bits &= ~PRINTING_FULL
  for (const [name, isAllowed] of Object.entries(others)) if (!isAllowed) bits &= ~BITS[name as keyof typeof others]
  return bits
}
