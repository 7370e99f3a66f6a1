/** Sample rates, Hz, that a container's encoder supports, if limited; ascending. */
import { lastOf } from '../../../../src/lists.ts'

const RATES: Readonly<Record<string, readonly number[]>> = {
  // ISO/IEC 11172-3, 13818-3 and the extension to low rates.
  mp3: [8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000],
  // RFC 6716.
  opus: [8000, 12000, 16000, 24000, 48000],
  // ISO/IEC 14496-3, table of sampling frequencies.
  m4a: [7350, 8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000, 64000, 88200, 96000],
}

/**
 * The output sample rate, Hz, for a source: its own if the encoder supports it, otherwise the next higher supported
 * rate.
 */
export function writableRate(container: string, sampleRate: number): number {
  const rates = RATES[container]
  return rates === undefined ? sampleRate : (rates.find((rate) => rate >= sampleRate) ?? lastOf(rates))
}
