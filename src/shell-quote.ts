/** Quoting for POSIX shells; free of Node, because the web console uses it too. */

/** Characters that a terminal interprets, or that change the direction of the text. */
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g

/** Control characters as octal escapes of their bytes, so that the line can be printed. */
const octal = (text: string): string =>
  text.replace(CONTROL, (character) =>
    [...new TextEncoder().encode(character)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join(''),
  )

/** A word with control characters: by `printf`, which every shell has. */
function printfQuote(word: string): string {
  // Command substitution removes line ends; `$'…'` is only known to bash, zsh and shells of POSIX.1-2024.
  if (word.endsWith('\n')) return `$'${octal(word.replace(/[\\']/g, '\\$&'))}'`
  const format = word.replace(/\\/g, '\\\\').replace(/%/g, '%%').replace(/'/g, `'\\''`)
  return `"$(printf -- '${octal(format)}')"`
}

/** Quotes any word for a POSIX shell. */
export function shellQuote(word: string): string {
  if (word.search(CONTROL) >= 0) return printfQuote(word)
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
