import { readFile } from 'node:fs/promises'
import { MediaprocError } from '../../errors.ts'
import { TOKENS } from './vocabulary.ts'

/** The parts of a tokenizer.json (Hugging Face) that are needed: byte-level tokens, written as characters. */
interface TokenizerFile {
  model: { vocab: Record<string, number> }
}

/** Printable Latin-1; in a byte-level vocabulary these bytes map to themselves. */
const isPrinted = (byte: number): boolean =>
  (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || (byte >= 0xae && byte <= 0xff)

/** Vocabulary characters by byte; all other bytes map to the characters from U+0100 on, in order. */
const LETTERS: readonly string[] = (() => {
  const bytes = Array.from({ length: 256 }, (_, byte) => byte)
  const others = bytes.filter((byte) => !isPrinted(byte))
  return bytes.map((byte) => String.fromCodePoint(isPrinted(byte) ? byte : 0x100 + others.indexOf(byte)))
})()

/** Encodes and decodes text by byte-pair encoding. */
export interface Tokenizer {
  /** Bytes are joined before decoding: a character may be split across tokens. */
  decode(tokens: readonly number[]): string
  encode(text: string): number[]
}

/**
 * Loads the tokenizer of a model.
 * @throws MediaprocError PROCESSING_FAILED if the file is not a tokenizer
 */
export async function readTokenizer(path: string): Promise<Tokenizer> {
  const content = await readFile(path, 'utf8')
  let vocabulary: Record<string, number>
  try {
    vocabulary = (JSON.parse(content) as TokenizerFile).model.vocab
  } catch (error) {
    throw new MediaprocError('PROCESSING_FAILED', 'The tokenizer of the speech model is damaged', {
      hint: { shell: 'mediaproc models verify looks for damaged files.' },
      cause: error,
    })
  }
  return tokenizerOf(vocabulary)
}

/** A byte-level tokenizer. The pair with the lower number (its rank) is merged first. */
export function tokenizerOf(vocabulary: Readonly<Record<string, number>>): Tokenizer {
  const byteOf = new Map(LETTERS.map((letter, byte) => [letter, byte]))
  const ids = new Map(Object.entries(vocabulary).filter(([, id]) => id < TOKENS.endOfText))
  const letters = new Map([...ids].map(([token, id]) => [id, token]))
  return {
    decode(tokens) {
      const written = tokens.flatMap((id) => [...(letters.get(id) ?? '')])
      return Buffer.from(written.map((letter) => byteOf.get(letter) ?? 0x3f)).toString('utf8')
    },
    encode(text) {
      const parts = [...Buffer.from(text)].map((byte) => LETTERS[byte]!)
      for (;;) {
        const ranks = parts.slice(1).map((part, index) => ids.get(parts[index]! + part) ?? Number.POSITIVE_INFINITY)
        const lowest = Math.min(...ranks)
        if (!Number.isFinite(lowest)) return parts.flatMap((part) => ids.get(part) ?? [])
        const at = ranks.indexOf(lowest)
        parts.splice(at, 2, parts[at]! + parts[at + 1]!)
      }
    },
  }
}

/** Symbols that are not speech: brackets, quotation marks, dashes and notes, used for descriptions of sounds. */
const SIGNS = [
  ...'"#()*+/:;<=>@[\\]^_`{|}~「」『』',
  ...'<< >> <<< >>> -- --- -( -[ (\' (" (( )) ((( ))) [[ ]] {{ }} ♪♪ ♪♪♪'.split(' '),
]
const NOTES = [...'♩♪♫♬♭♮♯']

/**
 * Suppressed tokens: descriptions of sounds, and markers of other tasks. A dash or apostrophe is only suppressed at the
 * start of a word.
 */
export function suppressedTokens({ encode }: Tokenizer): number[] {
  const first = (text: string): number[] => encode(text).slice(0, 1)
  const single = (text: string): number[] => (encode(text).length === 1 ? encode(text) : [])
  const signs = SIGNS.flatMap((sign) => [...single(sign), ...single(` ${sign}`)])
  const notes = NOTES.flatMap((note) => [...first(note), ...first(` ${note}`)])
  const { translate, transcribe, startOfTranscript, startOfPrevious, startOfModel, noSpeech } = TOKENS
  const tasks = [translate, transcribe, startOfTranscript, startOfPrevious, startOfModel, noSpeech]
  return [...new Set([...first(' -'), ...first(" '"), ...signs, ...notes, ...tasks])].sort((a, b) => a - b)
}
