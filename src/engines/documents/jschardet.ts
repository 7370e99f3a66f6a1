/** A candidate encoding, by its name in the Encoding Standard. */
export interface RankedEncoding {
  encoding: string
  /** From 0 to 1; small for short texts, so use it only for comparison. */
  confidence: number
}

/** The library's names that decoders do not support. */
const OTHER_NAMES: Readonly<Record<string, string>> = { cp932: 'shift_jis', cp949: 'euc-kr' }

/** Node's name of the encoding; undefined if Node cannot decode it. */
function standardName(name: string): string | undefined {
  const lower = name.toLowerCase().replace(/^iso8859-/, 'iso-8859-')
  try {
    return new TextDecoder(OTHER_NAMES[lower] ?? lower).encoding
  } catch {
    return undefined
  }
}

/** The encodings that match the bytes, the most likely first. */
export async function rankEncodings(bytes: Uint8Array): Promise<RankedEncoding[]> {
  const { detectAll } = await import('jschardet')
  const ranked = new Map<string, number>()
  for (const { encoding, confidence } of detectAll(bytes, { minimumThreshold: 0.0001 })) {
    const name = encoding === null ? undefined : standardName(encoding)
    if (name !== undefined) ranked.set(name, Math.max(confidence, ranked.get(name) ?? 0))
  }
  return [...ranked]
    .map(([encoding, confidence]) => ({ encoding, confidence }))
    .sort((one, other) => other.confidence - one.confidence)
}
