import { rankEncodings } from '../../engines/documents/jschardet.ts'
import { decodeBytes } from './decoder.ts'

/** The default if nothing fits better: common in older programs of Western Europe and America. */
const WESTERN = 'windows-1252'

/** In these encodings, non-ASCII letters are rare and occur singly between ASCII letters. */
const LATIN = [WESTERN, 'windows-1250', 'windows-1254', 'windows-1257', 'windows-1258', 'iso-8859-2']
/**
 * In these encodings, non-ASCII letters form whole words. Classic Mac encodings are omitted, because they resemble the
 * Windows ones, which are far more common.
 */
const OTHER = [
  ...['windows-1251', 'koi8-u', 'koi8-r', 'ibm866', 'iso-8859-5', 'windows-1253', 'iso-8859-7', 'windows-1255'],
  ...['windows-1256', 'windows-874', 'shift_jis', 'euc-jp', 'gb18030', 'big5', 'euc-kr'],
]

/** Share of the best confidence from which Western, the most common encoding, is preferred. */
const WESTERN_ENOUGH = 0.7
/** Share of the best confidence from which an alternative is considered plausible. */
const RIVAL = 0.4
/** Minimum number of valid non-ASCII UTF-8 characters per invalid byte. */
const MOSTLY = 4

export interface EncodingGuess {
  /** Name from the Encoding Standard. */
  encoding: string
  /** Other encodings that would produce another text are far less likely. */
  isCertain: boolean
}

/** Whether non-ASCII bytes mostly occur singly. */
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

/** Whether the text is UTF-8 with a few damaged places, such as a truncated end. */
function isMostlyUtf8(bytes: Uint8Array): boolean {
  const text = new TextDecoder().decode(bytes)
  const invalid = text.split('\ufffd').length - 1
  return (text.match(/[^\p{ASCII}\ufffd]/gu)?.length ?? 0) > MOSTLY * invalid
}

/**
 * Guesses the encoding of a text that is not UTF-8 and has no byte order mark.
 * @param sample the bytes of its significant lines
 */
export async function guessEncoding(sample: Uint8Array): Promise<EncodingGuess> {
  if (isMostlyUtf8(sample)) return { encoding: 'utf-8', isCertain: false }
  const wanted = isLatin(sample) ? LATIN : [...LATIN, ...OTHER]
  const ranked = (await rankEncodings(sample)).filter(({ encoding }) => wanted.includes(encoding))
  const fitting = ranked.flatMap(({ encoding, confidence }) => {
    const text = decodeBytes(sample, encoding)
    // Characters that no author intends: undefined bytes and Latin-1 control characters.
    const cut = wanted === LATIN ? text : text.replace(/\ufffd$/, '')
    return /[\u0080-\u009f\ufffd]/.test(cut) ? [] : [{ encoding, confidence, text }]
  })
  const [best] = fitting
  if (!best) return { encoding: WESTERN, isCertain: false }
  const western = fitting.find(({ encoding }) => encoding === WESTERN)
  const chosen = western && western.confidence >= WESTERN_ENOUGH * best.confidence ? western : best
  const rivals = fitting.filter(({ text, confidence }) => text !== chosen.text && confidence >= RIVAL * best.confidence)
  // If several encodings give the same text, the most common one is reported.
  const same = western?.text === chosen.text ? WESTERN : chosen.encoding
  return { encoding: same, isCertain: rivals.length === 0 }
}
