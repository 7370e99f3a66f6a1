/** The first and the further characters of a name (XML 1.0, section 2.3). */
const FIRST =
  ':A-Z_a-z\\u00c0-\\u00d6\\u00d8-\\u00f6\\u00f8-\\u02ff\\u0370-\\u037d\\u037f-\\u1fff\\u200c\\u200d\\u2070-\\u218f\\u2c00-\\u2fef' +
  '\\u3001-\\ud7ff\\uf900-\\ufdcf\\ufdf0-\\ufffd\\u{10000}-\\u{effff}'
const NAME = new RegExp(`^[${FIRST}][${FIRST}.0-9\\u00b7\\u0300-\\u036f\\u203f\\u2040-]*$`, 'u')

/** Whether a text is a valid name of an element, an attribute or an entity. */
export const isXmlName = (text: string): boolean => NAME.test(text)

/** Whether XML allows a character (XML 1.0, section 2.2). */
export function isXmlCharacter(code: number): boolean {
  return (
    [0x9, 0xa, 0xd].includes(code) ||
    (code >= 0x20 && code <= 0xd7ff) ||
    (code >= 0xe000 && code <= 0xfffd) ||
    (code >= 0x10000 && code <= 0x10ffff)
  )
}

/** A character that XML does not allow, such as most control characters and unpaired surrogates. */
export const FORBIDDEN = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u
