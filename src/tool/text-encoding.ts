import { choice } from './settings.ts'

/** Names of the Encoding Standard, most common first. */
const ENCODINGS = [
  ...(['auto', 'utf-8', 'utf-16le', 'utf-16be', 'windows-1252', 'iso-8859-15', 'windows-1250', 'iso-8859-2'] as const),
  ...([
    'windows-1251',
    'koi8-r',
    'koi8-u',
    'ibm866',
    'iso-8859-5',
    'windows-1253',
    'iso-8859-7',
    'windows-1254',
  ] as const),
  ...(['windows-1255', 'windows-1256', 'windows-1257', 'windows-1258', 'windows-874', 'shift_jis', 'euc-jp'] as const),
  ...(['iso-2022-jp', 'gb18030', 'big5', 'euc-kr', 'macintosh', 'x-mac-cyrillic'] as const),
] as const

const pages = Object.fromEntries(
  ENCODINGS.flatMap((name) => {
    const [, page] = /^windows-(\d+)$/.exec(name) ?? []
    return page === undefined ? [] : [[`cp${page}`, name]]
  }),
)

/** Common aliases. */
const OTHER_NAMES = {
  ...pages,
  ...{ utf8: 'utf-8', 'utf-16': 'utf-16le', utf16: 'utf-16le', ascii: 'windows-1252', latin1: 'windows-1252' },
  ...{ 'latin-1': 'windows-1252', 'iso-8859-1': 'windows-1252', latin2: 'iso-8859-2', 'latin-2': 'iso-8859-2' },
  ...{ 'iso-8859-9': 'windows-1254', latin5: 'windows-1254', 'iso-8859-8': 'windows-1255', cp866: 'ibm866' },
  ...{ 'shift-jis': 'shift_jis', sjis: 'shift_jis', cp932: 'shift_jis', 'windows-31j': 'shift_jis' },
  ...{ gbk: 'gb18030', gb2312: 'gb18030', cp936: 'gb18030', cp949: 'euc-kr', cp950: 'big5', macroman: 'macintosh' },
}

/**
 * The encoding setting of tools that read text.
 * @param what what is read, for the help line
 */
export const textEncoding = (what: string) =>
  choice(ENCODINGS, `how ${what} is encoded; auto detects Unicode, otherwise guesses, and warns if it is unsure`, {
    default: 'auto',
    valueAliases: OTHER_NAMES,
  })
