import { rankEncodings } from '../../engines/documents/jschardet.ts'
import { decodeBytes } from './decoder.ts'

/** What is taken where nothing fits better: what older programs of Western Europe and America wrote. */
const WESTERN = 'windows-1252'

/** Letters beyond ASCII are few in these, and stand alone between those of ASCII. */
const LATIN = [WESTERN, 'windows-1250', 'windows-1254', 'windows-1257', 'windows-1258', 'iso-8859-2']
/** In these they make the words. Encodings of old Macs are left out: they look like those of Windows, which are far more common. */
const OTHER = [
  ...['windows-1251', 'koi8-u', 'koi8-r', 'ibm866', 'iso-8859-5', 'windows-1253', 'iso-8859-7', 'windows-1255'],
  ...['windows-1256', 'windows-874', 'shift_jis', 'euc-jp', 'gb18030', 'big5', 'euc-kr'],
]

/** Part of the best confidence from which on Western is taken, as the most common of all. */
const WESTERN_ENOUGH = 0.7
/** Part of the best confidence from which on another reading is as good as possible. */
const RIVAL = 0.4
/** How many valid characters of UTF-8 there must be for each invalid byte. */
const MOSTLY = 4

export interface EncodingGuess {
  /** A name of the Encoding Standard. */
  encoding: string
  /** Other encodings that would give another text are far less likely. */
  isCertain: boolean
}

/** Whether bytes beyond ASCII come mostly alone. */
function isLatin(bytes: Uint8Array): boolean {
  let beyond = 0
  let inRuns = 0
  for (const [at, byte] of bytes.entries()) {
    if (byte < 128) continue
    beyond += 1
    if ((bytes[at - 1] ?? 0) > 127 || (bytes[at + 1] ?? 0) > 127) inRuns += 1
  }
  return inRuns < beyond / 2
}

/** UTF-8 with a few damaged places, such as the end of a file that was cut off. */
function isMostlyUtf8(bytes: Uint8Array): boolean {
  const text = new TextDecoder().decode(bytes)
  const invalid = text.split('\ufffd').length - 1
  return (text.match(/[^\p{ASCII}\ufffd]/gu)?.length ?? 0) > MOSTLY * invalid
}

/**
 * The encoding of a text that is not UTF-8 and has no byte order mark.
 * @param sample the bytes of its telling lines
 */
export async function guessEncoding(sample: Uint8Array): Promise<EncodingGuess> {
  if (isMostlyUtf8(sample)) return { encoding: 'utf-8', isCertain: false }
  const wanted = isLatin(sample) ? LATIN : [...LATIN, ...OTHER]
  const ranked = (await rankEncodings(sample)).filter(({ encoding }) => wanted.includes(encoding))
  const fitting = ranked.flatMap(({ encoding, confidence }) => {
    const text = decodeBytes(sample, encoding)
    // What no writer meant: bytes without a character, and control characters of Latin-1.
    const cut = wanted === LATIN ? text : text.replace(/\ufffd$/, '')
    return /[\u0080-\u009f\ufffd]/.test(cut) ? [] : [{ encoding, confidence, text }]
  })
  const [best] = fitting
  if (!best) return { encoding: WESTERN, isCertain: false }
  const western = fitting.find(({ encoding }) => encoding === WESTERN)
  const chosen = western && western.confidence >= WESTERN_ENOUGH * best.confidence ? western : best
  const rivals = fitting.filter(({ text, confidence }) => text !== chosen.text && confidence >= RIVAL * best.confidence)
  // Of encodings that say the same the most common one is named.
  const same = western?.text === chosen.text ? WESTERN : chosen.encoding
  return { encoding: same, isCertain: rivals.length === 0 }
}
