/** Words for null, true and false, and the keys `=` and `<<` (types of YAML 1.1). */
const WORDS = /^(?:~|null|y|n|yes|no|on|off|true|false|=|<<)?$/i

/**
 * Numbers: with points, underscores, commas or colons (base 60) between digits, in other bases, infinity and NaN.
 * Parsers differ in which of them they accept.
 */
const NUMBERS = [/^[-+]?[\d_.,:]*(?:e[-+]?\d+)?$/i, /^[-+]?0[xob][\da-f_]+$/i, /^[-+]?\.(?:inf|nan)$/i]

const DATE = /^\d{4}-\d\d?-\d\d?(?:$|[t\s])/i

/** Line breaks of YAML 1.1, and characters that YAML requires to be escaped. */
const UNPRINTABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]/

/** Blank lines alone: a block text has no indent by which their spaces differ from it. */
const BLANK = /^\s+$/

/** Surrogate pairs are allowed. */
const hasUnprintable = (text: string): boolean => UNPRINTABLE.test(text.replace(/[\ud800-\udbff][\udc00-\udfff]/g, ''))

/** Whether any YAML 1.1 or 1.2 parser would read a plain text as something other than this text. */
export function needsQuotes(text: string): boolean {
  return (
    WORDS.test(text) ||
    BLANK.test(text) ||
    NUMBERS.some((form) => form.test(text)) ||
    DATE.test(text) ||
    hasUnprintable(text)
  )
}

/** A text in double quotes on one line. JSON escapes are valid in YAML. */
export function quoted(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
