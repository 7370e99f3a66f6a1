/** Kinds of personal data that can be named instead of writing an expression. */
export const KIND_NAMES = ['email', 'phone', 'iban', 'card'] as const

export type Kind = (typeof KIND_NAMES)[number]

interface KindOfData {
  pattern: RegExp
  /** Length of the valid beginning of a match, 0 for a false match. */
  valid?: (match: string) => number
}

/** Repetitions are bounded, so that long texts take linear time. */
export const KINDS: Readonly<Record<Kind, KindOfData>> = {
  email: { pattern: /[\p{L}\p{N}._%+'-]{1,64}@(?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}{2,24}/gu },
  phone: {
    pattern:
      /(?<![\p{L}\p{N}.,/-])(?:(?:\+|00)[1-9]\d{0,2}|\(?0\d{1,5}\)?|\(?[2-9]\d{2}\)?(?=[ .-]\d{3}[ .-]\d{4}(?!\d)))(?:[ ./-]{0,2}\(?\d{1,6}\)?){1,7}(?![\p{L}\p{N}])/gu,
    valid: (match) => {
      const digits = match.replace(/\D/g, '').length
      return digits >= 7 && digits <= 15 ? match.length : 0
    },
  },
  iban: { pattern: /(?<![A-Z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,32}/gu, valid: validIban },
  card: {
    pattern: /(?<!\d)[2-6](?:[ -]?\d){11,18}(?!\d)/gu,
    valid: (match) => (isCardNumber(match) ? match.length : 0),
  },
}

/** The longest beginning that is an IBAN (ISO 13616: 97 divides the rearranged number with remainder 1). */
function validIban(match: string): number {
  for (let end = match.length; end > 0; end--) {
    const number = match.slice(0, end).replaceAll(' ', '')
    if (number.length < 15) return 0
    if (number.length > 34 || match[end - 1] === ' ' || /^[A-Z0-9]/.test(match.slice(end))) continue
    const rearranged = number.slice(4) + number.slice(0, 4)
    let rest = 0
    for (const sign of rearranged) {
      const value = Number.parseInt(sign, 36)
      rest = (rest * (value > 9 ? 100 : 10) + value) % 97
    }
    if (rest === 1) return end
  }
  return 0
}

/** The check digit of card numbers (ISO/IEC 7812-1, annex B: the Luhn formula). */
function isCardNumber(match: string): boolean {
  const digits = [...match.replace(/\D/g, '')].map(Number).reverse()
  const sum = digits.reduce((total, digit, index) => {
    const value = index % 2 === 0 ? digit : digit * 2
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return sum % 10 === 0
}
