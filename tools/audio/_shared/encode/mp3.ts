/**
 * The highest MP3 bit rate for a sample rate, kbit/s: 64 for MPEG-2.5 (up to 12 kHz), 160 for MPEG-2 (up to 24 kHz),
 * 320 for MPEG-1 (ISO/IEC 11172-3 and 13818-3, bit rate tables; 64 is the catalogue's figure for 8 kHz).
 */
export function mp3Cap(sampleRate: number): number {
  if (sampleRate <= 12000) return 64
  return sampleRate <= 24000 ? 160 : 320
}
