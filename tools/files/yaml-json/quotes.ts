/** Words for nothing, yes and no, and the keys `=` and `<<` (types of YAML 1.1). */
const WORDS = /^(?:~|null|y|n|yes|no|on|off|true|false|=|<<)?$/i

/** Numbers: with points, underscores, commas or colons (base 60) between their digits, in other bases, infinity and what is no number. Readers differ in which of them they take. */
const NUMBERS = [/^[-+]?[\d_.,:]*(?:e[-+]?\d+)?$/i, /^[-+]?0[xob][\da-f_]+$/i, /^[-+]?\.(?:inf|nan)$/i]

const DATE = /^\d{4}-\d\d?-\d\d?(?:$|[t\s])/i

/** Line ends of YAML 1.1 only, and characters that it does not allow unescaped. */
const UNPRINTABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]/

/** Pairs of surrogates are fine. */
const hasUnprintable = (text: string): boolean => UNPRINTABLE.test(text.replace(/[\ud800-\udbff][\udc00-\udfff]/g, ''))

/** Whether some reader of YAML, 1.1 or 1.2, would take a plain text for something else than this text. */
export function needsQuotes(text: string): boolean {
  return WORDS.test(text) || NUMBERS.some((form) => form.test(text)) || DATE.test(text) || hasUnprintable(text)
}

/** A text in double quotes, on one line. The escapes of JSON are those of YAML, too. */
export function quoted(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
